-- Affiliates: whom a closing has not seen when it read the tree is found by when it was placed, and what it has read stays so: a place in the tree is
-- taken once (docs/decisions/0112-newer-places-are-added.md).
-- Holds affiliates.node: an index is built over those who have a place.
CREATE INDEX node_placed_at ON affiliates.node (placed_at) WHERE placed_at IS NOT NULL;

-- What `affiliates.member` says of sponsor and place (member_settled), of the tree as closings read it.
CREATE FUNCTION affiliates.node_is_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'number, sponsor and place of a member never change' USING ERRCODE = 'check_violation', CONSTRAINT = 'node_settled';
END $$;
CREATE TRIGGER node_settled BEFORE UPDATE ON affiliates.node FOR EACH ROW
    WHEN (NEW.no <> OLD.no OR NEW.member <> OLD.member OR NEW.sponsor IS DISTINCT FROM OLD.sponsor
          OR OLD.placed_at IS NOT NULL
             AND (NEW.parent, NEW.on_right, NEW.depth, NEW.jump, NEW.placed_at)
                 IS DISTINCT FROM (OLD.parent, OLD.on_right, OLD.depth, OLD.jump, OLD.placed_at))
    EXECUTE FUNCTION affiliates.node_is_settled();
