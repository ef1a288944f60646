// What makes pages quicker to use. All of them work without it.
import { follow } from "./swap.js";
import { watchProgress } from "./live.js";
import { keepOfferingCopies } from "./copy.js";
import { helpPlayers } from "./play.js";

follow();
watchProgress();
keepOfferingCopies();
helpPlayers();
