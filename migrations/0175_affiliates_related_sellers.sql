-- Affiliates: for whom a bonus on matched points is held is kept with it (docs/decisions/0087-related-sellers-are-kept.md).

-- Whoever used one of these people's browsers since then, they themselves among them, each with the browser. Never pairs: of many on one
-- browser those would be their square.
CREATE FUNCTION identity.devices_of(people uuid[], since timestamptz) RETURNS TABLE (device bytea, account uuid) LANGUAGE sql STABLE AS $$
    SELECT t.token_hash, d.account
    FROM (SELECT DISTINCT o.token_hash FROM (SELECT DISTINCT unnest(people) AS person) p
          CROSS JOIN LATERAL (SELECT m.token_hash FROM identity.device m WHERE m.account = p.person AND m.seen_at > since OFFSET 0) o) t
    CROSS JOIN LATERAL (SELECT e.account FROM identity.device e WHERE e.token_hash = t.token_hash AND e.seen_at > since OFFSET 0) d
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
    SELECT 'same_document', t.document, o.user_id
    FROM (SELECT DISTINCT m.document FROM (SELECT DISTINCT unnest(people) AS person) p
          CROSS JOIN LATERAL (SELECT a.document FROM approvals.document a WHERE a.user_id = p.person OFFSET 0) m) t
    CROSS JOIN LATERAL (SELECT b.user_id FROM approvals.document b WHERE b.document = t.document OFFSET 0) o
    UNION ALL
    SELECT 'same_payer', t.payer, o.user_id
    FROM (SELECT DISTINCT m.payer FROM (SELECT DISTINCT unnest(people) AS person) p
          CROSS JOIN LATERAL (SELECT a.payer FROM approvals.payer a WHERE a.user_id = p.person OFFSET 0) m) t
    CROSS JOIN LATERAL (SELECT b.user_id FROM approvals.payer b WHERE b.payer = t.payer OFFSET 0) o
$$;

-- The walk up stands in `ancestor_at` alone.
CREATE OR REPLACE FUNCTION affiliates.child_towards(of integer, above integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE child integer;
BEGIN
    child := affiliates.ancestor_at(of, (SELECT a.depth + 1 FROM affiliates.node a WHERE a.no = above));
    RETURN (SELECT n.no FROM affiliates.node n WHERE n.no = child AND n.parent = above);
END $$;

-- Of each of these receivers those who belong to it, stand below it and have points that stand, as far as nobody has cleared the two of all that
-- relates them: by what is so now, and by what the open review of the two is about. Nobody is paired who does not stand below: of each seller
-- it is asked who stands above it at the depths at which receivers have the same thing. Nothing is known beforehand of how much is shared: what is
-- looked up by a key says so (LATERAL, OFFSET 0), and the rest is joined by hashing, or many on one thing would be compared each with each.
CREATE FUNCTION affiliates.related_sellers(receivers uuid[], since timestamptz)
RETURNS TABLE (receiver uuid, seller uuid, reasons text[]) LANGUAGE sql STABLE SET enable_nestloop = off SET jit = off AS $$
    WITH things AS MATERIALIZED (
        SELECT t.reason, t.thing, t.person
        FROM (SELECT u.reason, u.thing, u.person, count(*) OVER (PARTITION BY u.reason, u.thing) AS people
              FROM approvals.shared_things(receivers, since) u) t
        WHERE t.people > 1),
    placed AS MATERIALIZED (
        SELECT p.person AS member, n.no, n.depth FROM (SELECT DISTINCT t.person FROM things t) p
        CROSS JOIN LATERAL (SELECT o.no, o.depth FROM affiliates.node o WHERE o.member = p.person AND o.depth IS NOT NULL OFFSET 0) n),
    earning AS MATERIALIZED (
        SELECT p.member, p.no, p.depth FROM placed p JOIN (SELECT DISTINCT unnest(receivers) AS member) r ON r.member = p.member),
    selling AS MATERIALIZED (
        SELECT p.member, p.no, p.depth FROM placed p
        WHERE (SELECT sum(s.points) FROM affiliates.points s WHERE s.member = p.member) > 0),
    depths AS MATERIALIZED (
        SELECT DISTINCT t.reason, t.thing, e.depth FROM things t JOIN earning e ON e.member = t.person),
    above AS MATERIALIZED (
        SELECT u.member, affiliates.ancestor_at(u.no, u.depth) AS no
        FROM (SELECT DISTINCT s.member, s.no, d.depth
              FROM selling s
              JOIN things t ON t.person = s.member
              JOIN depths d ON d.reason = t.reason AND d.thing = t.thing AND d.depth < s.depth) u),
    related AS (
        SELECT e.member AS receiver, a.member AS seller, array_agg(DISTINCT mine.reason) AS reasons
        FROM above a
        JOIN earning e ON e.no = a.no
        JOIN things theirs ON theirs.person = a.member
        JOIN things mine ON mine.person = e.member AND mine.reason = theirs.reason AND mine.thing = theirs.thing
        GROUP BY e.member, a.member)
    SELECT k.receiver, k.seller, w.reasons FROM related k
    CROSS JOIN LATERAL (
        SELECT array_agg(u.reason ORDER BY u.reason) AS reasons
        FROM (SELECT unnest(k.reasons) UNION
              SELECT unnest(o.reasons) FROM affiliates.review o
              WHERE o.receiver = k.receiver AND o.source = k.seller AND o.status = 'open' AND o.closed_at IS NULL) AS u(reason)) w
    WHERE NOT w.reasons <@ affiliates.cleared_of(k.receiver, k.seller)
    ORDER BY k.receiver, k.seller
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
