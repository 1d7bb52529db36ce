-- Mass bookings: one transfer with many legs between one account of the house and many of people and licences.

-- More lines than a smallint counts. A posting is found by its transfer and account (whose legs of a mass booking are these), or by
-- its place in its account's history. That a transfer's lines are numbered through is checked with its postings; that they are written
-- once is what the one line 0 of each transfer says.
ALTER TABLE ledger.posting DROP CONSTRAINT posting_pkey;
ALTER TABLE ledger.posting ALTER COLUMN line TYPE integer;
CREATE UNIQUE INDEX posting_first ON ledger.posting (transfer) WHERE line = 0;
CREATE INDEX posting_transfer ON ledger.posting (transfer, account);

-- `mass`: many legs, the house's side first; it is undone for one person or licence at a time. `part`: whose legs a reversal undoes.
ALTER TABLE ledger.transfer
    ALTER COLUMN lines TYPE integer,
    ADD COLUMN mass boolean NOT NULL DEFAULT false,
    ADD COLUMN part uuid,
    ADD CONSTRAINT transfer_of_few_legs CHECK (mass OR lines <= 64),
    ADD CONSTRAINT transfer_part_is_reversed CHECK (part IS NULL OR reverses IS NOT NULL);
DROP INDEX ledger.transfer_reversed_once;
CREATE UNIQUE INDEX transfer_reversed_once ON ledger.transfer (reverses, coalesce(part, reverses)) WHERE reverses IS NOT NULL;

-- As before, and every line of a transfer has a number of its own.
CREATE OR REPLACE FUNCTION ledger.check_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE bad uuid; fault text;
BEGIN
    WITH touched AS MATERIALIZED (
        SELECT f.account, f.newest, a.version, a.name
        FROM (SELECT account, max(version) AS newest FROM fresh GROUP BY account) f
        LEFT JOIN LATERAL (SELECT version, name FROM ledger.account WHERE id = f.account OFFSET 0) a ON true
    ), booked AS MATERIALIZED (
        SELECT s.transfer, s.balanced AND s.lines = t.lines AND s.first = 0 AND s.last = s.lines - 1 AS complete, t.kind, t.mode
        FROM (SELECT transfer, bool_and(total = 0) AS balanced, sum(lines) AS lines, min(first) AS first, max(last) AS last
              FROM (SELECT transfer, sum(amount) AS total, count(*) AS lines, min(line) AS first, max(line) AS last
                    FROM fresh GROUP BY transfer, currency) c
              GROUP BY transfer) s
        LEFT JOIN LATERAL (SELECT lines, kind, mode FROM ledger.transfer WHERE id = s.transfer OFFSET 0) t ON true
    )
    SELECT z.fault, z.id INTO fault, bad FROM (
        SELECT 'LG004' AS fault, account AS id FROM touched WHERE version IS DISTINCT FROM newest
        UNION ALL
        SELECT 'LG006', transfer FROM booked WHERE complete IS NOT TRUE
        UNION ALL
        SELECT 'LG006', transfer FROM fresh GROUP BY transfer, line HAVING count(*) > 1
        UNION ALL
        SELECT 'LG008', f.transfer
        FROM touched a JOIN fresh f ON f.account = a.account JOIN booked t ON t.transfer = f.transfer
        WHERE EXISTS (SELECT FROM (SELECT DISTINCT name FROM touched WHERE name = 'yield' OR name LIKE 'trading:%') n
                      CROSS JOIN (SELECT DISTINCT kind, mode FROM booked) k
                      WHERE k.kind <> 'reversal' AND (n.name = 'trading:' || k.mode) IS NOT TRUE
                        AND NOT (n.name = 'yield' AND k.kind IN ('settlement', 'lot_return')))
          AND (a.name LIKE 'trading:%' OR (a.name = 'yield' AND f.amount > 0))
          AND t.kind <> 'reversal' AND (a.name = 'trading:' || t.mode) IS NOT TRUE
          AND NOT (a.name = 'yield' AND t.kind IN ('settlement', 'lot_return'))
    ) z LIMIT 1;
    IF fault = 'LG004' THEN
        RAISE EXCEPTION 'ledger: account % does not match its postings', bad USING ERRCODE = 'LG004';
    ELSIF fault = 'LG006' THEN
        RAISE EXCEPTION 'ledger: transfer % is incomplete or does not sum to zero', bad USING ERRCODE = 'LG006';
    ELSIF fault = 'LG008' THEN
        RAISE EXCEPTION 'ledger: transfer % books a trading result that no operation stands behind', bad USING ERRCODE = 'LG008';
    END IF;
    RETURN NULL;
END $$;

-- Transfers: each has its postings, a mass booking the house's first; in production trading results are live ones; a reversal takes back
-- exactly what the transfer that it names did, of a mass booking what it did to one owner.
CREATE OR REPLACE FUNCTION ledger.check_transfers() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE bad uuid;
BEGIN
    SELECT f.id INTO bad
    FROM fresh f LEFT JOIN ledger.posting p ON p.transfer = f.id AND p.line = 0
    WHERE p.transfer IS NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'ledger: transfer % has no postings', bad USING ERRCODE = 'LG007';
    END IF;
    IF EXISTS (SELECT FROM fresh WHERE mode IN ('simulated', 'paper'))
        AND EXISTS (SELECT FROM foundation.world WHERE kind = 'production') THEN
        RAISE EXCEPTION 'ledger: in production only live operations are booked' USING ERRCODE = 'LG003';
    END IF;
    IF EXISTS (SELECT FROM fresh WHERE mass) THEN
        SELECT f.id INTO bad
        FROM fresh f JOIN ledger.posting p ON p.transfer = f.id AND p.line = 0 JOIN ledger.account a ON a.id = p.account
        WHERE f.mass AND (a.owner IS NOT NULL OR f.reverses IS NOT NULL) LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'ledger: transfer % is no mass booking', bad USING ERRCODE = 'LG009';
        END IF;
    END IF;
    IF EXISTS (SELECT FROM fresh WHERE reverses IS NOT NULL) THEN
        SELECT f.id INTO bad
        FROM fresh f LEFT JOIN ledger.transfer o ON o.id = f.reverses
        WHERE f.reverses IS NOT NULL
          AND (o.mass IS DISTINCT FROM (f.part IS NOT NULL)
               OR EXISTS (SELECT FROM (SELECT p.account, p.amount FROM ledger.posting p WHERE p.transfer = f.id
                                       UNION ALL
                                       SELECT p.account, p.amount FROM ledger.posting p WHERE p.transfer = f.reverses AND f.part IS NULL
                                       UNION ALL
                                       SELECT p.account, p.amount FROM ledger.account a JOIN ledger.posting p ON p.account = a.id
                                       WHERE a.owner = f.part AND p.transfer = f.reverses) both_ways
                          WHERE f.part IS NULL
                             OR account <> (SELECT h.account FROM ledger.posting h WHERE h.transfer = f.reverses AND h.line = 0)
                          GROUP BY account HAVING sum(amount) <> 0))
        LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'ledger: transfer % does not undo what it names', bad USING ERRCODE = 'LG010';
        END IF;
    END IF;
    RETURN NULL;
END $$;
