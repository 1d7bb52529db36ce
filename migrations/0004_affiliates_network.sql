-- Affiliates: the sponsor tree, the binary tree with its chains, what members sell.
CREATE SCHEMA affiliates;
GRANT USAGE ON SCHEMA affiliates TO arbora_app;

-- Each maximal left (right) path of the binary tree. Its outermost node is the next parent on that path: the only lock of a
-- placement, so that placing costs the same at any depth.
CREATE TABLE affiliates.chain (
    id        uuid PRIMARY KEY,
    leg       text NOT NULL CHECK (leg IN ('left', 'right')),
    outermost uuid NOT NULL,
    length    bigint NOT NULL DEFAULT 1 CHECK (length > 0)
) WITH (fillfactor = 70);

CREATE TABLE affiliates.member (
    id            uuid PRIMARY KEY,                  -- the account's id
    sponsor       uuid REFERENCES affiliates.member, -- the first upline's link; none only for the root
    parent        uuid REFERENCES affiliates.member, -- the place in the binary tree
    leg           text CHECK (leg IN ('left', 'right')),
    left_chain    uuid REFERENCES affiliates.chain DEFERRABLE INITIALLY DEFERRED,
    right_chain   uuid REFERENCES affiliates.chain DEFERRABLE INITIALLY DEFERRED,
    depth         bigint,
    selected_leg  text NOT NULL DEFAULT 'left' CHECK (selected_leg IN ('left', 'right')),
    registered_at timestamptz NOT NULL,
    confirmed_at  timestamptz,
    placed_at     timestamptz,
    first_licence_at timestamptz,
    counted_unlicensed boolean NOT NULL DEFAULT false, -- holds one of the sponsor's places for members without a licence
    UNIQUE (parent, leg),
    CHECK ((placed_at IS NULL) = (left_chain IS NULL)),
    CHECK ((placed_at IS NULL) = (right_chain IS NULL)),
    CHECK ((placed_at IS NULL) = (depth IS NULL)),
    CHECK (placed_at IS NOT NULL OR (parent IS NULL AND leg IS NULL)),
    CHECK ((parent IS NULL) = (leg IS NULL)),
    CHECK (sponsor <> id)
);
CREATE INDEX member_sponsor ON affiliates.member (sponsor, registered_at);
CREATE UNIQUE INDEX member_one_root ON affiliates.member ((sponsor IS NULL)) WHERE sponsor IS NULL;
CREATE INDEX member_waiting ON affiliates.member (sponsor) WHERE confirmed_at IS NOT NULL AND placed_at IS NULL;

-- A member's counters, apart from the member's row: it is locked before the chain, and only when someone below is placed or licensed.
CREATE TABLE affiliates.sponsor_counter (
    sponsor           uuid PRIMARY KEY REFERENCES affiliates.member,
    placed            bigint NOT NULL DEFAULT 0 CHECK (placed >= 0),
    unlicensed_placed bigint NOT NULL DEFAULT 0 CHECK (unlicensed_placed >= 0)
) WITH (fillfactor = 70);

-- Sponsor and place never change (domain.md §7).
CREATE FUNCTION affiliates.member_is_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.sponsor IS DISTINCT FROM OLD.sponsor
       OR (OLD.placed_at IS NOT NULL AND (NEW.parent IS DISTINCT FROM OLD.parent OR NEW.leg IS DISTINCT FROM OLD.leg
           OR NEW.left_chain IS DISTINCT FROM OLD.left_chain OR NEW.right_chain IS DISTINCT FROM OLD.right_chain
           OR NEW.placed_at IS DISTINCT FROM OLD.placed_at)) THEN
        RAISE EXCEPTION 'sponsor and place of a member never change' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER member_settled BEFORE UPDATE ON affiliates.member FOR EACH ROW EXECUTE FUNCTION affiliates.member_is_settled();

-- What bonuses need to know of a licence, written by licences through this room's service.
CREATE TABLE affiliates.member_licence (
    licence      uuid PRIMARY KEY,
    member       uuid NOT NULL REFERENCES affiliates.member,
    value        bigint NOT NULL CHECK (value > 0),       -- micro-USDT
    active       boolean NOT NULL,
    network_used bigint NOT NULL DEFAULT 0 CHECK (network_used >= 0),
    since        timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);
CREATE INDEX member_licence_member ON affiliates.member_licence (member, since) WHERE active;

-- Points of a final sale: one row, whatever the depth; the closing carries them up the tree once, from the bottom.
CREATE TABLE affiliates.points (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    licence      uuid NOT NULL UNIQUE,
    member       uuid NOT NULL REFERENCES affiliates.member,
    points       bigint NOT NULL CHECK (points > 0),      -- millionths: 1 point per USDT
    business_day date NOT NULL,
    booked_at    timestamptz NOT NULL
);
CREATE INDEX points_day ON affiliates.points (business_day, id);

GRANT SELECT, INSERT, UPDATE ON affiliates.chain, affiliates.member, affiliates.sponsor_counter, affiliates.member_licence TO arbora_app;
GRANT SELECT, INSERT ON affiliates.points TO arbora_app;

-- The root: the house member of the identity migration, placed, outermost of both its chains.
INSERT INTO affiliates.chain (id, leg, outermost) VALUES
 ('0190a000-0000-7000-8000-00000000ff01', 'left', '0190a000-0000-7000-8000-0000000000ff'),
 ('0190a000-0000-7000-8000-00000000ff02', 'right', '0190a000-0000-7000-8000-0000000000ff');
INSERT INTO affiliates.member (id, left_chain, right_chain, depth, registered_at, confirmed_at, placed_at)
VALUES ('0190a000-0000-7000-8000-0000000000ff', '0190a000-0000-7000-8000-00000000ff01', '0190a000-0000-7000-8000-00000000ff02', 0, now(), now(), now());
INSERT INTO affiliates.sponsor_counter (sponsor) VALUES ('0190a000-0000-7000-8000-0000000000ff');
