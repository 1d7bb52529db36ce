-- The checks of mass bookings: the same at a smaller price. What was refused is refused.

-- In one pass over what moved; accounts that moved by several postings are looked at once more, and they alone.
CREATE OR REPLACE FUNCTION ledger.check_account_moved() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
DECLARE bad uuid; several uuid[];
BEGIN
    -- The first fresh posting goes on from where the account stood, the newest one says where it stands.
    SELECT (array_agg(x.id) FILTER (WHERE x.wrong))[1], array_agg(x.id) FILTER (WHERE x.several) INTO bad, several
    FROM (SELECT n.id, n.version > o.version + 1 AS several,
                 (o.balance + p.amount = p.balance_after AND p.currency = n.currency) IS NOT TRUE
                 OR CASE WHEN n.version = o.version + 1 THEN p.balance_after <> n.balance
                         ELSE NOT EXISTS (SELECT FROM ledger.posting
                                          WHERE account = n.id AND version = n.version AND balance_after = n.balance) END AS wrong
          FROM moved n
          JOIN moved_from o ON o.id = n.id
          LEFT JOIN LATERAL (SELECT currency, amount, balance_after FROM ledger.posting
                             WHERE account = n.id AND version = o.version + 1 OFFSET 0) p ON true) x
    WHERE x.wrong OR x.several;
    IF bad IS NULL AND several IS NOT NULL THEN
        SELECT x.id INTO bad
        FROM (SELECT n.id, n.version AS stands_at, n.currency AS kept_in, p.version, p.currency, p.amount, p.balance_after,
                     o.version + row_number() OVER w AS due, lag(p.balance_after, 1, o.balance) OVER w AS balance_before
              FROM unnest(several) s(id)
              JOIN moved n ON n.id = s.id
              JOIN moved_from o ON o.id = s.id
              CROSS JOIN LATERAL (SELECT version, currency, amount, balance_after FROM ledger.posting
                                  WHERE account = s.id AND version > o.version OFFSET 0) p
              WINDOW w AS (PARTITION BY n.id ORDER BY p.version)) x
        WHERE x.version <> x.due OR x.balance_before + x.amount <> x.balance_after OR x.currency <> x.kept_in
           OR x.version > x.stands_at
        LIMIT 1;
    END IF;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION 'ledger: account % does not match its postings', bad USING ERRCODE = 'LG004';
    END IF;
    RETURN NULL;
END $$;

-- As before; lines in order are counted without a table of them, names are gathered without sorting them.
CREATE OR REPLACE FUNCTION ledger.check_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off SET enable_sort = off SET work_mem = '64MB' AS $$
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
        SELECT 'LG006', transfer FROM fresh GROUP BY transfer HAVING count(DISTINCT line) <> count(*)
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
