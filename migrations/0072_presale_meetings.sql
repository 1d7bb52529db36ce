-- Orders of PYX meet many people at once: what is looked at of each is asked for all of them together, and the book with what is in it.

-- What the guard looks at of several people, behind the locks of all of them, which are taken in the order of their ids.
CREATE FUNCTION approvals.standings(people uuid[], moment timestamptz, day_ago timestamptz, available_rows uuid[], debt_rows uuid[])
RETURNS TABLE (person uuid, hold_until timestamptz, hold_reason text, excluded_until timestamptz, pause_reason text, pause_review_at timestamptz,
    available numeric, debt numeric, young bigint, young_until timestamptz, used bigint, request_usdt bigint, request_next bigint,
    request_next_at timestamptz, day_usdt bigint, day_next bigint, day_next_at timestamptz, listed boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE one uuid;
BEGIN
    FOR one IN SELECT p FROM unnest(people) AS p ORDER BY p LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(one::text, 6));
    END LOOP;
    RETURN QUERY SELECT p.id, s.hold_until, s.hold_reason, s.excluded_until, s.pause_reason, s.pause_review_at, s.available, s.debt, s.young,
            s.young_until, s.used, s.request_usdt, s.request_next, s.request_next_at, s.day_usdt, s.day_next, s.day_next_at, s.listed
        FROM unnest(people, available_rows, debt_rows) AS p(id, available, debt)
        CROSS JOIN LATERAL approvals.standing(p.id, false, moment, day_ago, p.available, p.debt, NULL, NULL) s;
END $$;

-- Whether a session may trade, and then, behind the book's lock: the rounds that were agreed, the days of the reference from `first` on with
-- the one before it (the latest first), and how many open orders a person has. A session that may not holds nothing.
CREATE FUNCTION presale.enter_book(of_session uuid, person uuid, first date)
RETURNS TABLE (opened boolean, starts timestamptz[], ends timestamptz[], prices bigint[], days date[], bases bigint[], levels bigint[],
    open_orders bigint) LANGUAGE plpgsql AS $$
BEGIN
    opened := EXISTS (SELECT FROM presale.trading_session t WHERE t.session = of_session);
    IF opened THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('presale.book', 26));
        SELECT array_agg(r.starts_at ORDER BY r.starts_at DESC, r.id), array_agg(r.ends_at ORDER BY r.starts_at DESC, r.id),
               array_agg(r.price ORDER BY r.starts_at DESC, r.id)
        INTO starts, ends, prices FROM presale.round r WHERE r.status = 'agreed';
        SELECT array_agg(d.day ORDER BY d.day DESC), array_agg(d.base ORDER BY d.day DESC), array_agg(d.price ORDER BY d.day DESC)
        INTO days, bases, levels FROM presale.reference d
        WHERE d.day >= coalesce((SELECT max(b.day) FROM presale.reference b WHERE b.day < first), first);
        open_orders := (SELECT count(*) FROM presale.trade_order o WHERE o.user_id = person AND o.status = 'open');
    END IF;
    RETURN NEXT;
END $$;
