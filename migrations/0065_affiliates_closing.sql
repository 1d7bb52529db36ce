-- Affiliates: the tree as the closing and the network's pages read it, and what closings write.

-- Members by a small number, with jump pointers: whether somebody stands below another is known after a number of steps that grows with
-- the logarithm of the depth. A node's jump skips as many steps as the two jumps before it together (Myers' skew-binary pointers), so
-- that placing somebody costs the same at any depth. Kept by triggers: there is no member without a node.
CREATE TABLE affiliates.node (
    no            integer GENERATED ALWAYS AS IDENTITY (MINVALUE 0 START WITH 0) PRIMARY KEY,
    member        uuid NOT NULL UNIQUE REFERENCES affiliates.member ON DELETE CASCADE,
    sponsor       integer,
    sponsor_depth integer NOT NULL,
    sponsor_jump  integer,                     -- none only for the root
    parent        integer,
    on_right      boolean,
    depth         integer,
    jump          integer,
    placed_at     timestamptz,
    CHECK ((parent IS NULL) = (on_right IS NULL)),
    CHECK ((depth IS NULL) = (jump IS NULL) AND (depth IS NULL) = (placed_at IS NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX node_place ON affiliates.node (parent, on_right);
CREATE INDEX node_sponsor ON affiliates.node (sponsor);

-- Where a child of `up` jumps to.
CREATE FUNCTION affiliates.jump_from(up affiliates.node, binary_tree boolean) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE one affiliates.node; two affiliates.node;
BEGIN
    SELECT * INTO one FROM affiliates.node WHERE no = CASE WHEN binary_tree THEN up.jump ELSE up.sponsor_jump END;
    SELECT * INTO two FROM affiliates.node WHERE no = CASE WHEN binary_tree THEN one.jump ELSE one.sponsor_jump END;
    IF binary_tree THEN
        RETURN CASE WHEN up.depth - one.depth = one.depth - two.depth THEN two.no ELSE up.no END;
    END IF;
    RETURN CASE WHEN up.sponsor_depth - one.sponsor_depth = one.sponsor_depth - two.sponsor_depth THEN two.no ELSE up.no END;
END $$;

CREATE FUNCTION affiliates.node_placed(of uuid, below uuid, leg text, depth bigint, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE up affiliates.node;
BEGIN
    SELECT * INTO up FROM affiliates.node WHERE member = below;
    UPDATE affiliates.node n SET parent = up.no, on_right = (leg = 'right'), depth = node_placed.depth, placed_at = at,
        jump = CASE WHEN up.no IS NULL THEN n.no ELSE affiliates.jump_from(up, true) END
    WHERE n.member = of;
END $$;

CREATE FUNCTION affiliates.member_enters() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE up affiliates.node;
BEGIN
    SELECT * INTO up FROM affiliates.node WHERE member = NEW.sponsor;
    INSERT INTO affiliates.node (member, sponsor, sponsor_depth, sponsor_jump)
    VALUES (NEW.id, up.no, coalesce(up.sponsor_depth + 1, 0), CASE WHEN up.no IS NOT NULL THEN affiliates.jump_from(up, false) END);
    IF up.no IS NULL THEN
        UPDATE affiliates.node SET sponsor_jump = no WHERE member = NEW.id;
    END IF;
    IF NEW.placed_at IS NOT NULL THEN
        PERFORM affiliates.node_placed(NEW.id, NEW.parent, NEW.leg, NEW.depth, NEW.placed_at);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION affiliates.member_placed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM affiliates.node_placed(NEW.id, NEW.parent, NEW.leg, NEW.depth, NEW.placed_at);
    RETURN NULL;
END $$;

GRANT SELECT, INSERT, UPDATE ON affiliates.node TO arbora_app;

-- Those who are there: sponsors and parents before those below them.
DO $$
DECLARE m record; up affiliates.node;
BEGIN
    FOR m IN
        WITH RECURSIVE s AS (
            SELECT id, sponsor, registered_at, 0 AS level FROM affiliates.member WHERE sponsor IS NULL
            UNION ALL
            SELECT c.id, c.sponsor, c.registered_at, s.level + 1 FROM affiliates.member c JOIN s ON c.sponsor = s.id)
        SELECT * FROM s ORDER BY level, registered_at, id
    LOOP
        up := NULL;
        SELECT * INTO up FROM affiliates.node WHERE member = m.sponsor;
        INSERT INTO affiliates.node (member, sponsor, sponsor_depth, sponsor_jump)
        VALUES (m.id, up.no, m.level, CASE WHEN up.no IS NOT NULL THEN affiliates.jump_from(up, false) END);
        IF up.no IS NULL THEN
            UPDATE affiliates.node SET sponsor_jump = no WHERE member = m.id;
        END IF;
    END LOOP;
    FOR m IN SELECT id, parent, leg, depth, placed_at FROM affiliates.member WHERE placed_at IS NOT NULL ORDER BY depth LOOP
        PERFORM affiliates.node_placed(m.id, m.parent, m.leg, m.depth, m.placed_at);
    END LOOP;
END $$;

CREATE TRIGGER enters AFTER INSERT ON affiliates.member FOR EACH ROW EXECUTE FUNCTION affiliates.member_enters();
CREATE TRIGGER placed AFTER UPDATE OF placed_at ON affiliates.member
    FOR EACH ROW WHEN (OLD.placed_at IS NULL AND NEW.placed_at IS NOT NULL) EXECUTE FUNCTION affiliates.member_placed();

-- The child of `above` under which `of` stands in the binary tree; none where it does not stand below.
CREATE FUNCTION affiliates.child_towards(of integer, above integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE at affiliates.node; hop affiliates.node; aim integer;
BEGIN
    SELECT depth + 1 INTO aim FROM affiliates.node WHERE no = above;
    SELECT * INTO at FROM affiliates.node WHERE no = of;
    IF aim IS NULL OR at.depth IS NULL OR at.depth < aim THEN
        RETURN NULL;
    END IF;
    WHILE at.depth > aim LOOP
        SELECT * INTO hop FROM affiliates.node WHERE no = at.jump;
        IF hop.depth < aim THEN
            SELECT * INTO hop FROM affiliates.node WHERE no = at.parent;
        END IF;
        at := hop;
    END LOOP;
    RETURN CASE WHEN at.parent = above THEN at.no END;
END $$;

-- Whether somebody came by `above`, or by whom `above` brought.
CREATE FUNCTION affiliates.brought_by(of integer, above integer) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE at affiliates.node; hop affiliates.node; aim integer;
BEGIN
    SELECT sponsor_depth INTO aim FROM affiliates.node WHERE no = above;
    SELECT * INTO at FROM affiliates.node WHERE no = of;
    IF aim IS NULL OR at.no IS NULL THEN
        RETURN false;
    END IF;
    WHILE at.sponsor_depth > aim LOOP
        SELECT * INTO hop FROM affiliates.node WHERE no = at.sponsor_jump;
        IF hop.sponsor_depth < aim THEN
            SELECT * INTO hop FROM affiliates.node WHERE no = at.sponsor;
        END IF;
        at := hop;
    END LOOP;
    RETURN at.no = above;
END $$;

-- Points on the legs after a closing, 256 members a row (`node.no`), a version for each closing that moved them: a closing that moves a
-- million members' points writes some thousand rows, and one that is done again finds what it began with. Millionths; below zero
-- where reversed sales took more than there was: what comes is set off first.
DROP TABLE affiliates.carry;
CREATE TABLE affiliates.leg_points (
    segment      integer NOT NULL CHECK (segment >= 0),
    day          date NOT NULL,
    left_points  bigint[] NOT NULL CHECK (cardinality(left_points) = 256),
    right_points bigint[] NOT NULL CHECK (cardinality(right_points) = 256),
    PRIMARY KEY (segment, day)
);
ALTER TABLE affiliates.leg_points ALTER COLUMN left_points SET STORAGE PLAIN, ALTER COLUMN right_points SET STORAGE PLAIN;
GRANT SELECT, INSERT, DELETE ON affiliates.leg_points TO arbora_app;

-- Members below, on each leg, at the last closing of each month.
CREATE TABLE affiliates.team (
    segment       integer NOT NULL CHECK (segment >= 0),
    month         date NOT NULL CHECK (extract(day FROM month) = 1),
    left_members  integer[] NOT NULL CHECK (cardinality(left_members) = 256),
    right_members integer[] NOT NULL CHECK (cardinality(right_members) = 256),
    PRIMARY KEY (segment, month)
);
ALTER TABLE affiliates.team ALTER COLUMN left_members SET STORAGE PLAIN, ALTER COLUMN right_members SET STORAGE PLAIN;
GRANT SELECT, INSERT, UPDATE ON affiliates.team TO arbora_app;

-- Whether a member earns from the network now: an active account with an active licence.
CREATE FUNCTION affiliates.is_active(member uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM affiliates.member_licence l WHERE l.member = is_active.member AND l.active)
       AND EXISTS (SELECT FROM identity.account a WHERE a.id = is_active.member AND a.status = 'active')
$$;

-- Points that reach those above their seller: those who were above when the sale became final. Whoever sold while waiting for a place
-- had nobody above; what is taken back of such a sale had reached nobody either.
CREATE VIEW affiliates.carried_points AS
SELECT n.no, p.points, p.business_day
FROM affiliates.points p
JOIN affiliates.node n ON n.member = p.member
LEFT JOIN affiliates.points s ON p.kind = 'reversal' AND s.licence = p.licence AND s.kind = 'sale'
WHERE n.placed_at <= coalesce(s.booked_at, p.booked_at);
GRANT SELECT ON affiliates.carried_points TO arbora_app;

-- Closings tell those to whom they brought something, once, before they end.
ALTER TABLE affiliates.closing DROP CONSTRAINT closing_step_check;
ALTER TABLE affiliates.closing ADD CONSTRAINT closing_step_check CHECK (step IN ('residual', 'binary', 'graduations', 'tell', 'done'));
CREATE OR REPLACE FUNCTION affiliates.check_closing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE steps CONSTANT text[] := ARRAY['residual', 'binary', 'graduations', 'tell', 'done'];
BEGIN
    IF array_position(steps, NEW.step) < array_position(steps, OLD.step)
       OR (NEW.step = OLD.step AND NEW.done_through < OLD.done_through) THEN
        RAISE EXCEPTION 'a closing only goes forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'closing_forward';
    END IF;
    RETURN NEW;
END $$;
-- Days are closed one after the other.
CREATE UNIQUE INDEX closing_under_way ON affiliates.closing ((true)) WHERE step <> 'done';
