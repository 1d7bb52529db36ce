-- Affiliates: for whom a bonus on matched points is held is kept with it (docs/decisions/0087-related-sellers-are-kept.md).

-- Whoever used one of these people's browsers since then, they themselves among them, each with the browser. Never pairs: of many on one
-- browser those would be their square.
CREATE FUNCTION identity.devices_of(people uuid[], since timestamptz) RETURNS TABLE (device bytea, account uuid) LANGUAGE sql STABLE AS $$
    SELECT d.token_hash, d.account FROM identity.device d
    WHERE d.seen_at > since
      AND d.token_hash IN (SELECT o.token_hash FROM identity.device o WHERE o.account = ANY (people) AND o.seen_at > since)
$$;
-- Whom a browser, a document or a payer relates is read from the index alone.
DROP INDEX identity.device_token;
CREATE INDEX device_token ON identity.device (token_hash) INCLUDE (account, seen_at);
DROP INDEX approvals.document_user;
CREATE INDEX document_user ON approvals.document (user_id) INCLUDE (document);
DROP INDEX approvals.payer_user;
CREATE INDEX payer_user ON approvals.payer (user_id) INCLUDE (payer);

-- Each thing by which these people may belong to somebody (a device used since then, a document, a payer), with everybody who has it.
CREATE FUNCTION approvals.shared_things(people uuid[], since timestamptz) RETURNS TABLE (reason text, thing bytea, person uuid)
LANGUAGE sql STABLE AS $$
    SELECT 'same_device'::text, d.device, d.account FROM identity.devices_of(people, since) d
    UNION ALL
    SELECT 'same_document', o.document, o.user_id FROM approvals.document o
    WHERE o.document IN (SELECT m.document FROM approvals.document m WHERE m.user_id = ANY (people))
    UNION ALL
    SELECT 'same_payer', o.payer, o.user_id FROM approvals.payer o
    WHERE o.payer IN (SELECT m.payer FROM approvals.payer m WHERE m.user_id = ANY (people))
$$;

-- Of each of these receivers those who belong to it, stand below it and have points that stand, as far as nobody has cleared the two of all that
-- relates them: by what is so now, and by what the open review of the two is about. What is asked of one person is asked once of each,
-- before anybody is paired.
CREATE FUNCTION affiliates.related_sellers(receivers uuid[], since timestamptz)
RETURNS TABLE (receiver uuid, seller uuid, reasons text[]) LANGUAGE sql STABLE AS $$
    WITH things AS MATERIALIZED (
        SELECT t.reason, t.thing, t.person
        FROM (SELECT u.reason, u.thing, u.person, count(*) OVER (PARTITION BY u.reason, u.thing) AS people
              FROM approvals.shared_things(receivers, since) u) t
        WHERE t.people > 1),
    placed AS MATERIALIZED (
        SELECT n.member, n.no, n.depth FROM affiliates.node n
        WHERE n.depth IS NOT NULL AND n.member IN (SELECT t.person FROM things t)),
    selling AS MATERIALIZED (
        SELECT p.member, p.no, p.depth FROM placed p
        WHERE (SELECT sum(s.points) FROM affiliates.points s WHERE s.member = p.member) > 0),
    related AS (
        SELECT r.member AS above, r.no AS above_no, s.member AS below, s.no AS below_no, array_agg(DISTINCT mine.reason) AS reasons
        FROM things mine
        JOIN placed r ON r.member = mine.person
        JOIN things theirs ON theirs.reason = mine.reason AND theirs.thing = mine.thing
        JOIN selling s ON s.member = theirs.person
        WHERE mine.person = ANY (receivers) AND s.depth > r.depth
        GROUP BY r.member, r.no, s.member, s.no)
    SELECT k.above, k.below, w.reasons FROM related k
    CROSS JOIN LATERAL (
        SELECT array_agg(u.reason ORDER BY u.reason) AS reasons
        FROM (SELECT unnest(k.reasons) UNION
              SELECT unnest(o.reasons) FROM affiliates.review o
              WHERE o.receiver = k.above AND o.source = k.below AND o.status = 'open' AND o.closed_at IS NULL) AS u(reason)) w
    WHERE affiliates.child_towards(k.below_no, k.above_no) IS NOT NULL
      AND NOT w.reasons <@ affiliates.cleared_of(k.above, k.below)
    ORDER BY k.above, k.below
$$;

-- For whom a bonus on matched points is held, and by what each of them belonged to its receiver when it was booked. Kept: a device is
-- forgotten, and nobody is cleared by that.
CREATE TABLE affiliates.related_seller (
    bonus   uuid NOT NULL REFERENCES affiliates.bonus,
    seller  uuid NOT NULL REFERENCES affiliates.member,
    reasons text[] NOT NULL CHECK (cardinality(reasons) > 0),
    PRIMARY KEY (bonus, seller),
    CONSTRAINT related_seller_reasons CHECK (reasons <@ ARRAY['same_device', 'same_document', 'same_payer'])
);
GRANT SELECT, INSERT ON affiliates.related_seller TO arbora_app;

-- Those that are held now: by whom they are looked at for, and by whatever is still to be seen of the others.
INSERT INTO affiliates.related_seller (bonus, seller, reasons)
SELECT b.id, s.seller, s.reasons
FROM affiliates.bonus b
JOIN affiliates.review r ON r.id = b.review AND r.status = 'open'
CROSS JOIN LATERAL affiliates.related_sellers(ARRAY[b.receiver], now() - interval '30 days') s
WHERE b.kind = 'binary';
INSERT INTO affiliates.related_seller (bonus, seller, reasons)
SELECT b.id, r.source, r.reasons
FROM affiliates.bonus b
JOIN affiliates.review r ON r.id = b.review AND r.status = 'open'
WHERE b.kind = 'binary'
ON CONFLICT DO NOTHING;

CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON affiliates.related_seller
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.refuse_change();

-- They come with the booking: nobody is added to a bonus that has gone on.
CREATE FUNCTION affiliates.check_related_seller() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM affiliates.bonus b WHERE b.id = NEW.bonus AND b.kind = 'binary' AND b.review IS NOT NULL AND b.version = 1
                       AND b.receiver <> NEW.seller) THEN
        RAISE EXCEPTION 'related sellers are noted when a bonus on matched points is booked'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'related_seller_booked';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER related_seller_booked BEFORE INSERT ON affiliates.related_seller
    FOR EACH ROW EXECUTE FUNCTION affiliates.check_related_seller();

-- A bonus on matched points waits for the look at one of them, and at nobody else.
CREATE FUNCTION affiliates.check_held_for() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM affiliates.review r JOIN affiliates.related_seller s ON s.bonus = NEW.id AND s.seller = r.source
                   WHERE r.id = NEW.review) THEN
        RAISE EXCEPTION 'a bonus on matched points is held for a related seller' USING ERRCODE = 'check_violation', CONSTRAINT = 'bonus_held_for';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER bonus_held_for AFTER INSERT OR UPDATE OF review ON affiliates.bonus DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.kind = 'binary' AND NEW.review IS NOT NULL) EXECUTE FUNCTION affiliates.check_held_for();

-- Cleared of one, nothing is free that is held for another whom nobody has cleared.
CREATE FUNCTION affiliates.check_set_free() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM affiliates.bonus b JOIN affiliates.related_seller s ON s.bonus = b.id
               WHERE b.review = NEW.id AND b.paid + b.waiting > b.returned AND NOT s.reasons <@ affiliates.cleared_of(b.receiver, s.seller)) THEN
        RAISE EXCEPTION 'a bonus is held for a seller whom nobody has cleared' USING ERRCODE = 'check_violation', CONSTRAINT = 'review_sets_free';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER review_sets_free AFTER UPDATE OF status ON affiliates.review DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.status = 'cleared') EXECUTE FUNCTION affiliates.check_set_free();
