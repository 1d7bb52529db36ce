-- Affiliates: of many who share one thing it is kept once who they are, and of each bonus which of them stand below its receiver. Kept bonus by bonus
-- they were the square of those on one browser who stand below one another (docs/decisions/0087-related-sellers-are-kept.md).
-- Holds affiliates.bonus and affiliates.member: for the moment in which keys to them are made; neither is read.

-- Who had one thing in common and had sold what stood, when bonuses of a closing were booked: in the order of a walk down the tree that comes to
-- everybody right before those below.
CREATE TABLE affiliates.related_group (
    id     uuid NOT NULL,
    place  integer NOT NULL CHECK (place >= 0),
    seller uuid NOT NULL REFERENCES affiliates.member,
    reason text NOT NULL CONSTRAINT related_group_reason CHECK (reason IN ('same_device', 'same_document', 'same_payer')),
    PRIMARY KEY (id, place),
    UNIQUE (id, seller)
);
-- A bonus is held for those of a group who stand below its receiver: to whom the walk comes after the receiver, before it has left all below. Whom
-- somebody had cleared by then is among them, and asks for no look: what two are cleared of never becomes less.
CREATE TABLE affiliates.related_below (
    bonus   uuid NOT NULL REFERENCES affiliates.bonus,
    related uuid NOT NULL,
    after   integer NOT NULL CHECK (after >= 0),
    through integer NOT NULL,
    PRIMARY KEY (bonus, related),
    CHECK (after < through)
);
CREATE INDEX related_below_group ON affiliates.related_below (related);
GRANT SELECT, INSERT ON affiliates.related_group, affiliates.related_below TO arbora_app;
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON affiliates.related_group
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.refuse_change();
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON affiliates.related_below
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.refuse_change();

-- For whom a bonus on matched points is held, each with all that related it to the receiver when it was booked.
CREATE FUNCTION affiliates.held_for(of_bonus uuid) RETURNS TABLE (seller uuid, reasons text[]) LANGUAGE sql STABLE AS $$
    SELECT u.seller, array_agg(DISTINCT u.reason)
    FROM (SELECT s.seller, w.reason FROM affiliates.related_seller s CROSS JOIN LATERAL unnest(s.reasons) AS w(reason) WHERE s.bonus = of_bonus
          UNION ALL
          SELECT g.seller, g.reason
          FROM affiliates.related_below b
          JOIN affiliates.related_group g ON g.id = b.related AND g.place > b.after AND g.place <= b.through
          WHERE b.bonus = of_bonus) u
    GROUP BY u.seller
$$;

-- A group is whole before a bonus is held for anybody in it.
CREATE FUNCTION affiliates.check_related_group() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT id FROM fresh) f JOIN affiliates.related_below b ON b.related = f.id) THEN
        RAISE EXCEPTION 'nobody is added to those for whom a bonus is held' USING ERRCODE = 'check_violation', CONSTRAINT = 'related_group_whole';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER related_group_whole AFTER INSERT ON affiliates.related_group REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.check_related_group();

-- As related sellers are noted (0191): with the booking, of whom there is, and nobody for oneself.
CREATE FUNCTION affiliates.check_related_below() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT bonus FROM fresh) f
               WHERE NOT EXISTS (SELECT FROM affiliates.bonus b WHERE b.id = f.bonus AND b.kind = 'binary' AND b.review IS NOT NULL AND b.version = 1))
       OR EXISTS (SELECT FROM (SELECT DISTINCT related FROM fresh) f
                  WHERE NOT EXISTS (SELECT FROM affiliates.related_group g WHERE g.id = f.related))
       OR EXISTS (SELECT FROM fresh f JOIN affiliates.bonus b ON b.id = f.bonus
                  JOIN affiliates.related_group g ON g.id = f.related AND g.seller = b.receiver AND g.place > f.after AND g.place <= f.through) THEN
        RAISE EXCEPTION 'related sellers are noted when a bonus on matched points is booked'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'related_below_booked';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER related_below_booked AFTER INSERT ON affiliates.related_below REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.check_related_below();

-- A bonus on matched points waits for the look at one of them, and at nobody else. Each is looked up by its key: so many bonuses are booked at once.
CREATE OR REPLACE FUNCTION affiliates.check_held_for() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM affiliates.review r WHERE r.id = NEW.review
                   AND (EXISTS (SELECT FROM affiliates.related_seller s WHERE s.bonus = NEW.id AND s.seller = r.source)
                        OR EXISTS (SELECT FROM affiliates.related_below b
                                   JOIN affiliates.related_group g ON g.id = b.related AND g.seller = r.source
                                       AND g.place > b.after AND g.place <= b.through
                                   WHERE b.bonus = NEW.id))) THEN
        RAISE EXCEPTION 'a bonus on matched points is held for a related seller' USING ERRCODE = 'check_violation', CONSTRAINT = 'bonus_held_for';
    END IF;
    RETURN NULL;
END $$;

-- Cleared of one, nothing is free that is held for another whom nobody has cleared.
CREATE OR REPLACE FUNCTION affiliates.check_set_free() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM affiliates.bonus b CROSS JOIN LATERAL affiliates.held_for(b.id) s
               WHERE b.review = NEW.id AND b.paid + b.waiting > b.returned AND NOT s.reasons <@ affiliates.cleared_of(b.receiver, s.seller)) THEN
        RAISE EXCEPTION 'a bonus is held for a seller whom nobody has cleared' USING ERRCODE = 'check_violation', CONSTRAINT = 'review_sets_free';
    END IF;
    RETURN NULL;
END $$;
