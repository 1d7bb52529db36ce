-- A result that is taken back is asked for, held and read by one call, and given back to its lots by one statement (docs/performance.md#round-trips).

-- What a settlement did to a robot, by an operation of it, and the id under which taking it back is decided on, which is written with the first
-- word. Everything that is asked of the same settlement is held until the transaction ends: an operation is over when the last robot's share of it
-- was taken back, and two who take back what is left do so one after the other. Behind it: whether this robot's part was taken back, and why the
-- first of two words was spoken. No row for an operation in which the robot had no part.
CREATE FUNCTION robots.ask_reversal(new_id uuid, of_operation uuid, of_licence uuid, moment timestamptz)
RETURNS TABLE (id uuid, batch uuid, at timestamptz, mode text, owner uuid, reversed boolean, reason text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    SELECT b.id, b.at, b.mode, s.owner INTO batch, at, mode, owner
    FROM robots.share s JOIN robots.operation o ON o.id = s.operation JOIN robots.batch b ON b.id = o.batch
    WHERE s.operation = of_operation AND s.licence = of_licence;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO robots.reversal (id, batch, licence, owner, asked_at)
    VALUES (new_id, ask_reversal.batch, of_licence, ask_reversal.owner, moment) ON CONFLICT (batch, licence) DO NOTHING;
    PERFORM FROM robots.reversal r WHERE r.batch = ask_reversal.batch ORDER BY r.id FOR UPDATE;
    SELECT r.id, EXISTS (SELECT FROM robots.share_reversal x WHERE x.reversal = r.id),
           (SELECT d.reason FROM approvals.first_word d WHERE d.kind = 'result_reversal' AND d.subject = r.id ORDER BY d.at DESC LIMIT 1)
    INTO STRICT id, reversed, reason
    FROM robots.reversal r WHERE r.batch = ask_reversal.batch AND r.licence = of_licence;
    RETURN NEXT;
END $$;

-- Which lots of a licence bore its loss of a batch, as it was written down. Where nothing was, it had one lot then: both ids begin with their
-- moment, and what came later is greater. None when it cannot be told.
CREATE FUNCTION licences.lots_that_lost(of_batch uuid, of_licence uuid, of_loss bigint) RETURNS TABLE (lot uuid, amount bigint)
LANGUAGE sql STABLE AS $$
    SELECT w.lot, w.amount FROM licences.lot_loss w WHERE w.batch = of_batch AND w.licence = of_licence
    UNION ALL
    SELECT o.id, of_loss
    FROM (SELECT t.id, count(*) OVER () AS lots
          FROM (SELECT l.id FROM licences.lot l WHERE l.licence = of_licence AND l.id < of_batch LIMIT 2) t) o
    WHERE o.lots = 1 AND NOT EXISTS (SELECT FROM licences.lot_loss w WHERE w.batch = of_batch AND w.licence = of_licence)
$$;
