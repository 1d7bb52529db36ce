-- Nobody releases the bonus of a rank while the compliance rules want somebody to look at it, or after that was refused.
CREATE FUNCTION wallet.check_graduation_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM approvals.compliance_case c
               WHERE c.subject_kind = 'graduation_bonus' AND c.subject = NEW.id AND c.status IN ('open', 'refused')) THEN
        RAISE EXCEPTION 'a payment whose case is not cleared';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER graduation_bonus_case BEFORE UPDATE ON wallet.graduation_bonus
    FOR EACH ROW WHEN (NEW.status = 'approved' AND OLD.status = 'pending') EXECUTE FUNCTION wallet.check_graduation_case();
