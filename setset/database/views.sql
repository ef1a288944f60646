-- The views. `setset sql` shows the comment behind AS as the description of the view.

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

CREATE VIEW throughput AS -- how fast each size went on each host: lists per second of one worker
SELECT x.target, e.size, e.work, e.host, COUNT(*) AS expansions, SUM(e.lists_out) AS lists,
       SUM(e.seconds) AS seconds, SUM(e.lists_out) / SUM(e.seconds) AS lists_per_second,
       MIN(e.finished_at) AS first_finished, MAX(e.finished_at) AS last_finished
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'done'
GROUP BY x.target, e.size, e.work, e.host ORDER BY x.target, e.size, e.work DESC, e.host;

CREATE VIEW timeline AS -- when each expansion was done, where and in how many seconds of one worker
SELECT x.target, e.size, e.work, e.source_size, e.source, e.run_id AS run, e.host, e.pid,
       e.started_at, e.seconds, e.finished_at AS recorded_at, e.lists_in, e.lists_out
FROM expansions e JOIN explorations x ON x.id = e.exploration_id WHERE e.state = 'done'
ORDER BY x.target, e.started_at, e.size, e.source;

CREATE VIEW catalogue AS -- each size: classes, lists in them, those that no card can be added to, all hands
SELECT v.size, COUNT(*) AS classes, SUM(c.lists) AS lists, SUM(c.complete) AS complete_classes,
       SUM(CASE WHEN c.complete THEN c.lists ELSE 0 END) AS complete_lists,
       SUM(c.game_classes) AS game_classes, v.hands, 1.0 * SUM(c.lists) / v.hands AS chance
FROM levels v JOIN classes c ON c.size = v.size GROUP BY v.size ORDER BY v.size;

CREATE VIEW complete_sizes AS -- the stored sizes with all their lists: each source expanded, in parts without a gap
WITH RECURSIVE linked AS (
  SELECT exploration_id, size, lists, number IS ROW_NUMBER() OVER near - 1 AS is_numbered,
         CASE WHEN COALESCE(LAG(ends_source) OVER near, 1)
              THEN first_part = 0 AND first_source > COALESCE(LAG(last_source) OVER near, -1)
              ELSE first_source = LAG(last_source) OVER near AND first_part = LAG(last_part) OVER near + 1
         END AS follows, ends_source OR LEAD(size) OVER near IS NOT NULL AS ends
  FROM batches WINDOW near AS (PARTITION BY exploration_id, size ORDER BY first_source, first_part)
), stored AS (
  SELECT exploration_id, size, COUNT(*) AS batches, SUM(lists) AS lists, MIN(is_numbered AND follows AND ends) AS whole
  FROM linked GROUP BY exploration_id, size
), expanded AS (
  SELECT e.exploration_id, e.size, e.source_size, COUNT(*) AS sources, SUM(e.lists_out) AS lists,
         MIN(CASE e.source_size WHEN 2 THEN e.source = 0
             ELSE b.id IS NOT NULL AND COALESCE(e.source_digest, b.digest) = b.digest END) AS from_these
  FROM expansions e LEFT JOIN batches b
    ON b.exploration_id = e.exploration_id AND b.size = e.source_size AND b.number = e.source
  WHERE e.work = 'store' AND e.batches_out IS NOT NULL GROUP BY e.exploration_id, e.size, e.source_size
), whole AS MATERIALIZED (
  SELECT z.exploration_id, z.size, z.source_size
  FROM sizes z
  LEFT JOIN stored ON stored.exploration_id = z.exploration_id AND stored.size = z.size
  LEFT JOIN stored source ON source.exploration_id = z.exploration_id AND source.size = z.source_size
  LEFT JOIN expanded x ON x.exploration_id = z.exploration_id AND x.size = z.size AND x.source_size = z.source_size
  WHERE COALESCE(stored.whole, 1) AND COALESCE(x.from_these, 1) AND COALESCE(x.lists, 0) = COALESCE(stored.lists, 0)
    AND COALESCE(x.sources, 0) = COALESCE(source.batches, z.source_size = 2)
), proven AS (
  SELECT exploration_id, size FROM whole WHERE source_size = 2
  UNION ALL
  SELECT w.exploration_id, w.size
  FROM whole w JOIN proven p ON p.exploration_id = w.exploration_id AND p.size = w.source_size
)
SELECT exploration_id, size FROM proven;

CREATE VIEW counts AS -- how many lists of each size are kept for each target, and whether that is all of them
WITH found AS (
  SELECT z.exploration_id, z.size, 'stored' AS origin, COALESCE(SUM(b.lists), 0) AS lists, p.size IS NOT NULL AS complete
  FROM sizes z LEFT JOIN batches b ON b.exploration_id = z.exploration_id AND b.size = z.size
  LEFT JOIN complete_sizes p ON p.exploration_id = z.exploration_id AND p.size = z.size
  GROUP BY z.exploration_id, z.size HAVING COUNT(b.id) OR p.size IS NOT NULL
  UNION ALL
  SELECT e.exploration_id, t.size, 'counted from size ' || e.source_size, SUM(t.lists),
         p.size IS NOT NULL AND COUNT(b.id) = (SELECT COUNT(*) FROM batches b
                                               WHERE b.exploration_id = e.exploration_id AND b.size = e.source_size)
  FROM expansions e JOIN tallies t ON t.expansion_id = e.id
  LEFT JOIN batches b ON b.exploration_id = e.exploration_id AND b.size = e.source_size AND b.number = e.source
    AND b.digest = COALESCE(e.source_digest, b.digest)
  LEFT JOIN complete_sizes p ON p.exploration_id = e.exploration_id AND p.size = e.source_size
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
       p.size IS NOT NULL AND (w.work = 'store' OR w.done = source.batches) AS complete, x.pruned,
       z.checked_at, z.findings
FROM worked w
JOIN explorations x ON x.id = w.exploration_id
LEFT JOIN sizes z ON z.exploration_id = w.exploration_id AND z.size = w.size AND w.work = 'store'
LEFT JOIN complete_sizes p
  ON p.exploration_id = w.exploration_id AND p.size = CASE w.work WHEN 'store' THEN w.size ELSE w.source_size END
LEFT JOIN stored ON stored.exploration_id = w.exploration_id AND stored.size = w.size
LEFT JOIN stored source ON source.exploration_id = w.exploration_id AND source.size = w.source_size
ORDER BY x.target, w.size, w.work DESC, w.source_size;
