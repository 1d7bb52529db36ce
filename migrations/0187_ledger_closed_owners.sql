-- Ledger: nothing is booked to somebody who has closed their account (docs/decisions/0094-nothing-comes-to-who-has-left.md). Who books has the
-- account's row when they look at its owner's standing, and so has who closes: one of both sees the other.
--
-- As before, and after the rows that of those whose owner has closed their account: rows of the kind 'closed'.
CREATE OR REPLACE FUNCTION ledger.lock_accounts(ids uuid[], fresh_ids uuid[], owner_kinds text[], owners uuid[], names text[], currencies text[],
    stripes smallint[], bounds smallint[], keys text[])
RETURNS TABLE (id uuid, owner_kind text, owner uuid, name text, bound smallint, balance numeric, version bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT count(*) FROM ledger.account a WHERE a.id = ANY(fresh_ids)) < cardinality(fresh_ids) THEN
        INSERT INTO ledger.account (id, owner_kind, owner, name, currency, stripe, bound)
        SELECT n.i, n.k, n.o, n.n, n.c, n.s, n.b
        FROM unnest(fresh_ids, owner_kinds, owners, names, currencies, stripes, bounds) AS n(i, k, o, n, c, s, b)
        WHERE NOT EXISTS (SELECT FROM ledger.account a WHERE a.id = n.i) ORDER BY n.i
        ON CONFLICT (id) DO NOTHING;
    END IF;
    RETURN QUERY SELECT a.id, a.owner_kind, a.owner, a.name, a.bound, a.balance, a.version FROM ledger.account a
        WHERE a.id = ANY(ids) ORDER BY a.id FOR NO KEY UPDATE OF a;
    -- One statement for both: it comes after the locks, so it sees what those had done who held them.
    RETURN QUERY
        SELECT a.id, 'closed'::text, NULL::uuid, ''::text, 0::smallint, 0::numeric, 0::bigint
        FROM ledger.account a JOIN identity.account p ON p.id = a.owner
        WHERE a.id = ANY(ids) AND a.owner_kind = 'user' AND p.status = 'closed'
        UNION ALL
        SELECT NULL::uuid, 'key'::text, NULL::uuid, ''::text, 0::smallint, 0::numeric, 0::bigint
        WHERE EXISTS (SELECT FROM ledger.transfer t WHERE t.key = ANY(keys));
END $$;
