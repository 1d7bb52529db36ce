-- More of what belongs together is asked for at once, as in 0057: where one read has to come behind a lock, or one row decides about the
-- next, it is a function. What several rows only have in common are parts of one statement in the stores.

-- Writes a mail down and says when it leaves. Whoever writes to a recipient waits for others who do; the `nth` newest of its mails since then,
-- those with a reset link and all others apart, leaves this one a place `moment - since` after it. Codes are not counted. What was
-- asked for does not wait: where it would have to, nothing is written.
CREATE FUNCTION foundation.put_mail(
    new_id uuid, to_whom text, whose uuid, of_template text, of_subject text, as_text text, as_html text, moment timestamptz, since timestamptz,
    nth bigint, is_code boolean, is_way_in boolean, is_asked_for boolean)
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    full_since timestamptz;
    due timestamptz := moment;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(to_whom, 11));
    IF NOT is_code THEN
        SELECT m.due_at INTO full_since FROM foundation.mail m
        WHERE m.recipient = to_whom AND m.due_at > since AND (m.template = 'reset_password') = is_way_in
          AND m.template NOT IN ('sign_in_code', 'security_code')
        ORDER BY m.due_at DESC OFFSET nth - 1 LIMIT 1;
        due := greatest(moment, full_since + (moment - since));
    END IF;
    IF due = moment OR NOT is_asked_for THEN
        INSERT INTO foundation.mail (id, recipient, user_id, template, subject, text_body, html_body, created_at, due_at)
        VALUES (new_id, to_whom, whose, of_template, of_subject, as_text, as_html, moment, due);
    END IF;
    RETURN due;
END $$;

-- Changes of a queue one after another, so that the length that each reports is the length at its commit: holds the queue until the
-- transaction ends and counts behind that. `rows` and `waiting`, a table and a condition, are constants of the server's program.
CREATE FUNCTION foundation.queue_length(queue text, rows text, waiting text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE length bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(queue, 8));
    EXECUTE format('SELECT count(*) FROM %s WHERE %s', rows, waiting) INTO length;
    RETURN length;
END $$;

-- What the guard looks at (`approvals.standing`) and what the compliance rules look at (`approvals.evidence`) of money that leaves, both
-- behind the person's lock where it is asked for.
CREATE FUNCTION approvals.inquiry(
    person uuid, locked boolean, moment timestamptz, hour_ago timestamptz, day_ago timestamptz, month_ago timestamptz, available_row uuid,
    debt_row uuid, list text, place text, kinds text[], other uuid)
RETURNS TABLE (hold_until timestamptz, hold_reason text, excluded_until timestamptz, pause_reason text, pause_review_at timestamptz,
    available numeric, debt numeric, young bigint, young_until timestamptz, used bigint, request_usdt bigint, request_next bigint,
    request_next_at timestamptz, day_usdt bigint, day_next bigint, day_next_at timestamptz, listed boolean, usable_at timestamptz,
    outs_last_hour bigint, out_last_day bigint, in_last_day numeric, device_accounts bigint, payer_accounts bigint, same_device boolean,
    same_document boolean, same_payer boolean, refused_before boolean) LANGUAGE plpgsql AS $$
BEGIN
    IF locked THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(person::text, 6));
    END IF;
    RETURN QUERY SELECT s.hold_until, s.hold_reason, s.excluded_until, s.pause_reason, s.pause_review_at, s.available, s.debt, s.young,
            s.young_until, s.used, s.request_usdt, s.request_next, s.request_next_at, s.day_usdt, s.day_next, s.day_next_at, s.listed,
            s.usable_at, e.outs_last_hour, e.out_last_day, e.in_last_day, e.device_accounts, e.payer_accounts, e.same_device,
            e.same_document, e.same_payer, e.refused_before
        FROM approvals.standing(person, false, moment, day_ago, available_row, debt_row, list, place) s
        CROSS JOIN approvals.evidence(person, hour_ago, day_ago, month_ago, true, available_row, kinds, NULL, other, NULL, NULL) e;
END $$;

-- Until when the last of a person's young money is young; none when all is old enough.
CREATE FUNCTION approvals.young_until(person uuid, moment timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT max(y.until) FROM approvals.young_credit y WHERE y.user_id = person AND y.ended_at IS NULL AND y.until > moment);
END $$;

-- A member's highest N so far, its row held until the transaction ends.
CREATE FUNCTION affiliates.lock_peak(of_member uuid, moment timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE highest bigint;
BEGIN
    SELECT p.peak INTO highest FROM affiliates.peak p WHERE p.member = of_member FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO affiliates.peak (member, peak, updated_at) VALUES (of_member, 0, moment) ON CONFLICT (member) DO NOTHING;
        SELECT p.peak INTO highest FROM affiliates.peak p WHERE p.member = of_member FOR UPDATE;
    END IF;
    RETURN highest;
END $$;

-- Everything that a placement locks, in its order: the member, its sponsor's counters, its own counters, the chain down the sponsor's
-- selected leg; each is read behind its lock. No row for who is no member; of one who has no sponsor, is not confirmed, or has a
-- place, no more than the member itself is held.
CREATE FUNCTION affiliates.lock_place(of_member uuid)
RETURNS TABLE (sponsor uuid, confirmed_at timestamptz, placed_at timestamptz, licensed boolean, unlicensed_placed bigint, leg text, chain uuid,
    parent uuid, depth bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    SELECT m.sponsor, m.confirmed_at, m.placed_at, m.first_licence_at IS NOT NULL INTO sponsor, confirmed_at, placed_at, licensed
    FROM affiliates.member m WHERE m.id = of_member FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF sponsor IS NOT NULL AND confirmed_at IS NOT NULL AND placed_at IS NULL THEN
        SELECT c.unlicensed_placed INTO STRICT unlicensed_placed FROM affiliates.sponsor_counter c WHERE c.sponsor = lock_place.sponsor FOR UPDATE;
        PERFORM FROM affiliates.sponsor_counter c WHERE c.sponsor = of_member FOR UPDATE;
        SELECT m.selected_leg, CASE m.selected_leg WHEN 'right' THEN m.right_chain ELSE m.left_chain END INTO leg, chain
        FROM affiliates.member m WHERE m.id = lock_place.sponsor;
        IF chain IS NOT NULL THEN
            SELECT c.outermost INTO STRICT parent FROM affiliates.chain c WHERE c.id = lock_place.chain FOR UPDATE;
            SELECT coalesce(m.depth, 0) INTO STRICT depth FROM affiliates.member m WHERE m.id = lock_place.parent;
        END IF;
    END IF;
    RETURN NEXT;
END $$;

-- A licence of a member as the network knows it now. Who was no member is one, below `house`; an active licence brings its ceiling, the
-- first one ends the member's counting among those without. Locks in the order of a placement: the member, then its sponsor's counters.
-- Says whether the member waits for a place that an active licence gives.
CREATE FUNCTION affiliates.put_licence(
    of_licence uuid, of_member uuid, of_value bigint, is_active boolean, of_ceiling bigint, house uuid, moment timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    fresh boolean;
    known affiliates.member;
BEGIN
    WITH counter AS (INSERT INTO affiliates.sponsor_counter (sponsor) VALUES (of_member) ON CONFLICT DO NOTHING)
    INSERT INTO affiliates.member (id, sponsor, registered_at, confirmed_at) VALUES (of_member, house, moment, moment) ON CONFLICT (id) DO NOTHING;
    fresh := FOUND;
    INSERT INTO affiliates.member_licence (licence, member, value, active, since, updated_at)
    VALUES (of_licence, of_member, of_value, is_active, moment, moment)
    ON CONFLICT (licence) DO UPDATE SET value = EXCLUDED.value, active = EXCLUDED.active, updated_at = EXCLUDED.updated_at;
    IF NOT is_active THEN
        RETURN fresh;
    END IF;
    INSERT INTO affiliates.network_ceiling (licence, member, ceiling, since) VALUES (of_licence, of_member, of_ceiling, moment) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT known FROM affiliates.member m WHERE m.id = of_member FOR NO KEY UPDATE;
    IF known.first_licence_at IS NULL THEN
        UPDATE affiliates.member SET first_licence_at = moment, counted_unlicensed = false WHERE id = of_member;
        IF known.counted_unlicensed THEN
            UPDATE affiliates.sponsor_counter SET unlicensed_placed = unlicensed_placed - 1 WHERE sponsor = known.sponsor;
        END IF;
        RETURN known.placed_at IS NULL;
    END IF;
    RETURN fresh;
END $$;
