-- What a closing writes of its members names a closing that there is: asked once a statement. A foreign key asked it, and locked the closing's row,
-- for each of a hundred thousand rows. Closings are never deleted, and from now on none gets another id, so that this says the same.
CREATE FUNCTION affiliates.check_of_closing() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT closing FROM fresh) f
               WHERE NOT EXISTS (SELECT FROM affiliates.closing c WHERE c.id = f.closing)) THEN
        RAISE EXCEPTION 'affiliates.% names no closing', TG_TABLE_NAME USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'of_closing';
    END IF;
    RETURN NULL;
END $$;
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['closing_member', 'match'] LOOP
        EXECUTE format('ALTER TABLE affiliates.%I DROP CONSTRAINT %I', t, t || '_closing_fkey');
        EXECUTE format('CREATE TRIGGER of_closing AFTER INSERT ON affiliates.%I REFERENCING NEW TABLE AS fresh
            FOR EACH STATEMENT EXECUTE FUNCTION affiliates.check_of_closing()', t);
        EXECUTE format('CREATE TRIGGER of_closing_still AFTER UPDATE ON affiliates.%I REFERENCING NEW TABLE AS fresh
            FOR EACH STATEMENT EXECUTE FUNCTION affiliates.check_of_closing()', t);
    END LOOP;
END $$;

CREATE FUNCTION affiliates.refuse_other_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a closing keeps its id' USING ERRCODE = 'check_violation', CONSTRAINT = 'closing_id';
END $$;
CREATE TRIGGER closing_id BEFORE UPDATE ON affiliates.closing FOR EACH ROW WHEN (NEW.id <> OLD.id) EXECUTE FUNCTION affiliates.refuse_other_id();
