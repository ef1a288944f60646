BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0007');
CREATE TABLE batches (
	id INTEGER NOT NULL, 
	exploration_id INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	number INTEGER, 
	first_source INTEGER NOT NULL, 
	first_part INTEGER NOT NULL, 
	last_source INTEGER NOT NULL, 
	last_part INTEGER NOT NULL, 
	ends_source BOOLEAN NOT NULL, 
	lists INTEGER NOT NULL, 
	first_list TEXT NOT NULL, 
	last_list TEXT NOT NULL, 
	root_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	bytes INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	defect TEXT, source_digest TEXT, row_digest INTEGER, lists_before INTEGER, 
	CONSTRAINT pk_batches PRIMARY KEY (id), 
	CONSTRAINT ck_batches_not_empty CHECK (lists > 0 AND bytes > 0), 
	CONSTRAINT fk_batches_exploration_id FOREIGN KEY(exploration_id) REFERENCES explorations (id), 
	CONSTRAINT fk_batches_root_id FOREIGN KEY(root_id) REFERENCES storage_roots (id), 
	CONSTRAINT uq_batches_exploration_id_size_first_source_first_part UNIQUE (exploration_id, size, first_source, first_part), 
	CONSTRAINT uq_batches_exploration_id_size_number UNIQUE (exploration_id, size, number), 
	CONSTRAINT uq_batches_root_id_path UNIQUE (root_id, path)
);
CREATE TABLE classes (
	size INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	representative TEXT NOT NULL, 
	stabilizer INTEGER NOT NULL, 
	lists INTEGER NOT NULL, 
	extensions INTEGER NOT NULL, 
	complete BOOLEAN NOT NULL, 
	game_classes INTEGER NOT NULL, 
	CONSTRAINT pk_classes PRIMARY KEY (size, number), 
	CONSTRAINT ck_classes_orbit CHECK (stabilizer * lists = 1965150720), 
	CONSTRAINT ck_classes_complete CHECK (complete = (extensions = 0)), 
	CONSTRAINT fk_classes_size FOREIGN KEY(size) REFERENCES levels (size), 
	CONSTRAINT uq_classes_representative UNIQUE (representative)
)
 WITHOUT ROWID

;
CREATE TABLE expansions (
	id INTEGER NOT NULL, 
	exploration_id INTEGER NOT NULL, 
	work VARCHAR NOT NULL, 
	size INTEGER NOT NULL, 
	source_size INTEGER NOT NULL, 
	source INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	attempts INTEGER NOT NULL, 
	lists_in INTEGER NOT NULL, 
	lists_out INTEGER, 
	batches_out INTEGER, 
	bytes_out INTEGER, 
	run_id INTEGER, 
	host TEXT, 
	pid INTEGER, 
	seconds DOUBLE, 
	finished_at TEXT, 
	error TEXT, row_digest INTEGER, started_at TEXT, source_digest TEXT, 
	CONSTRAINT pk_expansions PRIMARY KEY (id), 
	CONSTRAINT fk_expansions_exploration_id FOREIGN KEY(exploration_id) REFERENCES explorations (id), 
	CONSTRAINT fk_expansions_run_id FOREIGN KEY(run_id) REFERENCES runs (id), 
	CONSTRAINT uq_expansions_exploration_id_work_size_source_size_source UNIQUE (exploration_id, work, size, source_size, source)
);
CREATE TABLE explorations (
	id INTEGER NOT NULL, 
	target INTEGER NOT NULL, 
	created_at TEXT NOT NULL, row_digest INTEGER, pruned BOOLEAN DEFAULT 0 NOT NULL, goal_size INTEGER, goal_stored TEXT, goal_counted INTEGER, 
	CONSTRAINT pk_explorations PRIMARY KEY (id), 
	CONSTRAINT ck_explorations_target CHECK (target BETWEEN 4 AND 20), 
	CONSTRAINT uq_explorations_target UNIQUE (target)
);
CREATE TABLE levels (
	size INTEGER NOT NULL, 
	classes INTEGER NOT NULL, 
	links INTEGER NOT NULL, 
	lists INTEGER NOT NULL, 
	complete_classes INTEGER NOT NULL, 
	complete_lists INTEGER NOT NULL, 
	game_classes INTEGER NOT NULL, 
	hands INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	built_at TEXT NOT NULL, row_digest INTEGER, 
	CONSTRAINT pk_levels PRIMARY KEY (size), 
	CONSTRAINT ck_levels_size CHECK (size BETWEEN 0 AND 20)
);
CREATE TABLE links (
	size INTEGER NOT NULL, 
	larger INTEGER NOT NULL, 
	smaller INTEGER NOT NULL, 
	extensions INTEGER NOT NULL, 
	deletions INTEGER NOT NULL, 
	CONSTRAINT pk_links PRIMARY KEY (size, larger, smaller), 
	CONSTRAINT ck_links_not_empty CHECK (extensions > 0 AND deletions > 0), 
	CONSTRAINT fk_links_size_larger FOREIGN KEY(size, larger) REFERENCES classes (size, number)
)
 WITHOUT ROWID

;
CREATE TABLE runs (
	id INTEGER NOT NULL, 
	command TEXT NOT NULL, 
	version TEXT NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	workers INTEGER NOT NULL, 
	started_at TEXT NOT NULL, 
	finished_at TEXT, 
	outcome TEXT, 
	batches_added INTEGER NOT NULL, 
	lists_added INTEGER NOT NULL, 
	lists_counted INTEGER NOT NULL, 
	bytes_added INTEGER NOT NULL, 
	CONSTRAINT pk_runs PRIMARY KEY (id)
);
CREATE TABLE sizes (
	exploration_id INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	batch_lists INTEGER NOT NULL, 
	numbered INTEGER NOT NULL, 
	complete BOOLEAN NOT NULL, row_digest INTEGER, source_size INTEGER DEFAULT 2 NOT NULL, 
	CONSTRAINT pk_sizes PRIMARY KEY (exploration_id, size), 
	CONSTRAINT ck_sizes_batch_lists CHECK (batch_lists > 0), 
	CONSTRAINT fk_sizes_exploration_id FOREIGN KEY(exploration_id) REFERENCES explorations (id)
);
CREATE TABLE storage_roots (
	id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	created_at TEXT NOT NULL, row_digest INTEGER, 
	CONSTRAINT pk_storage_roots PRIMARY KEY (id), 
	CONSTRAINT uq_storage_roots_path UNIQUE (path)
);
CREATE TABLE tallies (
	expansion_id INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	lists INTEGER NOT NULL, row_digest INTEGER, 
	CONSTRAINT pk_tallies PRIMARY KEY (expansion_id, size), 
	CONSTRAINT fk_tallies_expansion_id FOREIGN KEY(expansion_id) REFERENCES expansions (id)
);
CREATE TABLE workspace (
	id TEXT NOT NULL, 
	created_at TEXT NOT NULL, row_digest INTEGER, folder TEXT, 
	CONSTRAINT pk_workspace PRIMARY KEY (id)
);
CREATE INDEX ix_batches_defect ON batches (defect) WHERE defect IS NOT NULL;
CREATE INDEX ix_expansions_exploration_id_work_size_source_size_state_source ON expansions (exploration_id, work, size, source_size, state, source);
CREATE VIEW files AS -- the batches of each size: number, lists, first and last list, file, bytes, digest
SELECT x.target, b.size, b.number, b.lists, b.first_list, b.last_list,
       r.path AS root, b.path, b.bytes, b.digest, b.defect,
       b.first_source AS source, b.first_part AS part
FROM batches b JOIN explorations x ON x.id = b.exploration_id JOIN storage_roots r ON r.id = b.root_id
ORDER BY x.target, b.size, b.first_source, b.first_part;
CREATE VIEW defects AS -- batches with a known defect and expansions that failed
SELECT x.target, b.size, b.number, b.path, b.defect AS what
FROM batches b JOIN explorations x ON x.id = b.exploration_id WHERE b.defect IS NOT NULL
UNION ALL
SELECT x.target, e.size, NULL, 'source ' || e.source || ' of size ' || e.source_size,
       'failed ' || e.attempts || ' times: ' || e.error
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'failed'
ORDER BY 1, 2, 3;
CREATE VIEW throughput AS -- how fast each size went on each host: lists found a second of one worker
SELECT x.target, e.size, e.work, e.host, COUNT(*) AS expansions, SUM(e.lists_out) AS lists,
       SUM(e.seconds) AS seconds, SUM(e.lists_out) / SUM(e.seconds) AS lists_per_second,
       MIN(e.finished_at) AS first_finished, MAX(e.finished_at) AS last_finished
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'done'
GROUP BY x.target, e.size, e.work, e.host ORDER BY x.target, e.size, e.work DESC, e.host;
CREATE VIEW catalogue AS -- each size: classes, lists in them, those that no card can be added to, all hands
SELECT v.size, COUNT(*) AS classes, SUM(c.lists) AS lists, SUM(c.complete) AS complete_classes,
       SUM(CASE WHEN c.complete THEN c.lists ELSE 0 END) AS complete_lists,
       SUM(c.game_classes) AS game_classes, v.hands, 1.0 * SUM(c.lists) / v.hands AS chance
FROM levels v JOIN classes c ON c.size = v.size GROUP BY v.size ORDER BY v.size;
CREATE TRIGGER storage_roots_digest_on_insert AFTER INSERT ON storage_roots BEGIN UPDATE storage_roots SET row_digest = hash_of_row(NEW.id, NEW.path, NEW.created_at) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER storage_roots_digest_on_update AFTER UPDATE OF id, path, created_at ON storage_roots BEGIN UPDATE storage_roots SET row_digest = hash_of_row(NEW.id, NEW.path, NEW.created_at) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER tallies_digest_on_insert AFTER INSERT ON tallies BEGIN UPDATE tallies SET row_digest = hash_of_row(NEW.expansion_id, NEW.size, NEW.lists) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER tallies_digest_on_update AFTER UPDATE OF expansion_id, size, lists ON tallies BEGIN UPDATE tallies SET row_digest = hash_of_row(NEW.expansion_id, NEW.size, NEW.lists) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER levels_digest_on_insert AFTER INSERT ON levels BEGIN UPDATE levels SET row_digest = hash_of_row(NEW.size, NEW.classes, NEW.links, NEW.lists, NEW.complete_classes, NEW.complete_lists, NEW.game_classes, NEW.hands, NEW.digest) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER levels_digest_on_update AFTER UPDATE OF size, classes, links, lists, complete_classes, complete_lists, game_classes, hands, digest ON levels BEGIN UPDATE levels SET row_digest = hash_of_row(NEW.size, NEW.classes, NEW.links, NEW.lists, NEW.complete_classes, NEW.complete_lists, NEW.game_classes, NEW.hands, NEW.digest) WHERE rowid = NEW.rowid; END;
CREATE INDEX ix_batches_lists_before ON batches (exploration_id, size, lists_before);
CREATE TRIGGER batches_digest_on_insert AFTER INSERT ON batches BEGIN UPDATE batches SET row_digest = hash_of_row(NEW.id, NEW.exploration_id, NEW.size, NEW.number, NEW.lists_before, NEW.first_source, NEW.first_part, NEW.last_source, NEW.last_part, NEW.ends_source, NEW.lists, NEW.first_list, NEW.last_list, NEW.root_id, NEW.path, NEW.bytes, NEW.digest, NEW.source_digest, NEW.defect) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER batches_digest_on_update AFTER UPDATE OF id, exploration_id, size, number, lists_before, first_source, first_part, last_source, last_part, ends_source, lists, first_list, last_list, root_id, path, bytes, digest, source_digest, defect ON batches BEGIN UPDATE batches SET row_digest = hash_of_row(NEW.id, NEW.exploration_id, NEW.size, NEW.number, NEW.lists_before, NEW.first_source, NEW.first_part, NEW.last_source, NEW.last_part, NEW.ends_source, NEW.lists, NEW.first_list, NEW.last_list, NEW.root_id, NEW.path, NEW.bytes, NEW.digest, NEW.source_digest, NEW.defect) WHERE rowid = NEW.rowid; END;
CREATE VIEW timeline AS -- when each expansion was done, where and in how many seconds of one worker
SELECT x.target, e.size, e.work, e.source_size, e.source, e.run_id AS run, e.host, e.pid,
       e.started_at, e.seconds, e.finished_at AS recorded_at, e.lists_in, e.lists_out
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'done'
ORDER BY x.target, e.started_at, e.size, e.source;
CREATE VIEW counts AS -- how many lists of each size are kept for each target, and whether that is all of them
WITH found AS (
  SELECT b.exploration_id, b.size, 'stored' AS origin, SUM(b.lists) AS lists, z.complete
  FROM batches b JOIN sizes z ON z.exploration_id = b.exploration_id AND z.size = b.size
  GROUP BY b.exploration_id, b.size
  UNION ALL
  SELECT z.exploration_id, z.size, 'stored', 0, 1 FROM sizes z WHERE z.complete AND NOT EXISTS
    (SELECT 1 FROM batches b WHERE b.exploration_id = z.exploration_id AND b.size = z.size)
  UNION ALL
  SELECT e.exploration_id, t.size, 'counted from size ' || e.source_size, SUM(t.lists),
         z.complete AND COUNT(*) = (SELECT COUNT(*) FROM batches b
                                    WHERE b.exploration_id = e.exploration_id AND b.size = e.source_size)
  FROM expansions e JOIN tallies t ON t.expansion_id = e.id
  JOIN sizes z ON z.exploration_id = e.exploration_id AND z.size = e.source_size
  WHERE e.work = 'count' AND e.state = 'done'
  GROUP BY e.exploration_id, e.source_size, e.size, t.size
), ranked AS (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY exploration_id, size
                               ORDER BY complete DESC, origin = 'stored' DESC, lists DESC) AS place
  FROM found
)
SELECT x.target, r.size, r.lists, r.complete, r.origin, x.pruned
FROM ranked r JOIN explorations x ON x.id = r.exploration_id
WHERE r.place = 1 ORDER BY x.target, r.size;
CREATE TRIGGER workspace_digest_on_insert AFTER INSERT ON workspace BEGIN UPDATE workspace SET row_digest = hash_of_row(NEW.id, NEW.created_at, NEW.folder) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER workspace_digest_on_update AFTER UPDATE OF id, created_at, folder ON workspace BEGIN UPDATE workspace SET row_digest = hash_of_row(NEW.id, NEW.created_at, NEW.folder) WHERE rowid = NEW.rowid; END;
CREATE VIEW progress AS -- each size: source batches known and expanded, batches, lists and bytes so far
WITH stored AS (
  SELECT exploration_id, size, COUNT(*) AS batches, SUM(lists) AS lists, SUM(bytes) AS bytes,
         COUNT(defect) AS defects
  FROM batches GROUP BY exploration_id, size
), worked AS (
  SELECT exploration_id, work, size, source_size, COUNT(*) AS planned, SUM(state = 'done') AS done,
         SUM(state = 'running') AS running, SUM(state = 'failed') AS failed, SUM(lists_in) AS lists_in,
         SUM(CASE WHEN state = 'done' THEN lists_in END) AS lists_in_done,
         SUM(CASE WHEN state = 'done' THEN lists_out END) AS lists_out,
         SUM(seconds) AS seconds
  FROM expansions GROUP BY exploration_id, work, size, source_size
)
SELECT x.target, w.size, w.work, w.source_size,
       COALESCE(source.batches, 1) AS sources, w.done AS expanded, w.running, w.failed,
       CASE w.work WHEN 'store' THEN stored.batches END AS batches,
       CASE w.work WHEN 'store' THEN stored.defects END AS defects,
       CASE w.work WHEN 'store' THEN stored.lists ELSE w.lists_out END AS lists,
       CASE w.work WHEN 'store' THEN stored.bytes END AS bytes,
       COALESCE(source.lists, w.lists_in) AS source_lists, COALESCE(w.lists_in_done, 0) AS source_lists_done,
       w.lists_out AS lists_out, w.seconds,
       CASE w.work WHEN 'store' THEN z.complete
            ELSE w.done = source.batches AND source_size.complete END AS complete, x.pruned
FROM worked w
JOIN explorations x ON x.id = w.exploration_id
LEFT JOIN sizes z ON z.exploration_id = w.exploration_id AND z.size = w.size
LEFT JOIN sizes source_size ON source_size.exploration_id = w.exploration_id AND source_size.size = w.source_size
LEFT JOIN stored ON stored.exploration_id = w.exploration_id AND stored.size = w.size
LEFT JOIN stored source ON source.exploration_id = w.exploration_id AND source.size = w.source_size
ORDER BY x.target, w.size, w.work DESC, w.source_size;
CREATE TRIGGER explorations_digest_on_insert AFTER INSERT ON explorations BEGIN UPDATE explorations SET row_digest = hash_of_row(NEW.id, NEW.target, NEW.created_at, NEW.pruned, NEW.goal_size, NEW.goal_stored, NEW.goal_counted) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER explorations_digest_on_update AFTER UPDATE OF id, target, created_at, pruned, goal_size, goal_stored, goal_counted ON explorations BEGIN UPDATE explorations SET row_digest = hash_of_row(NEW.id, NEW.target, NEW.created_at, NEW.pruned, NEW.goal_size, NEW.goal_stored, NEW.goal_counted) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER sizes_digest_on_insert AFTER INSERT ON sizes BEGIN UPDATE sizes SET row_digest = hash_of_row(NEW.exploration_id, NEW.size, NEW.batch_lists, NEW.numbered, NEW.complete, NEW.source_size) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER sizes_digest_on_update AFTER UPDATE OF exploration_id, size, batch_lists, numbered, complete, source_size ON sizes BEGIN UPDATE sizes SET row_digest = hash_of_row(NEW.exploration_id, NEW.size, NEW.batch_lists, NEW.numbered, NEW.complete, NEW.source_size) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER expansions_digest_on_insert AFTER INSERT ON expansions BEGIN UPDATE expansions SET row_digest = hash_of_row(NEW.id, NEW.exploration_id, NEW.work, NEW.size, NEW.source_size, NEW.source, NEW.state, NEW.attempts, NEW.lists_in, NEW.lists_out, NEW.batches_out, NEW.bytes_out, NEW.source_digest) WHERE rowid = NEW.rowid; END;
CREATE TRIGGER expansions_digest_on_update AFTER UPDATE OF id, exploration_id, work, size, source_size, source, state, attempts, lists_in, lists_out, batches_out, bytes_out, source_digest ON expansions BEGIN UPDATE expansions SET row_digest = hash_of_row(NEW.id, NEW.exploration_id, NEW.work, NEW.size, NEW.source_size, NEW.source, NEW.state, NEW.attempts, NEW.lists_in, NEW.lists_out, NEW.batches_out, NEW.bytes_out, NEW.source_digest) WHERE rowid = NEW.rowid; END;
COMMIT;
