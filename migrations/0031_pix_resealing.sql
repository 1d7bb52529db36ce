-- PIX: after a rotation of the master key, keys and documents are sealed anew. The same key under another seal keeps its MAC; nothing
-- else of a withdrawal changes with it. Whoever opens a key holds it against its MAC.

GRANT UPDATE (sealed) ON pix.holder TO arbora_app;

CREATE OR REPLACE FUNCTION pix.check_withdrawal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status IN ('rejected', 'canceled', 'expired') AND NEW.status <> OLD.status THEN
        RAISE EXCEPTION 'a withdrawal that has ended stays so';
    END IF;
    IF OLD.paid_at IS NOT NULL AND (NEW.status <> OLD.status OR NEW.paid_at IS DISTINCT FROM OLD.paid_at) THEN
        RAISE EXCEPTION 'what was paid stays paid';
    END IF;
    IF NEW.status = 'approved' AND OLD.status <> 'approved' THEN
        IF OLD.status <> 'pending' OR NEW.digest IS NULL OR NOT approvals.is_approved('pix_withdrawal', NEW.id, NEW.digest) THEN
            RAISE EXCEPTION 'a withdrawal without its approvals';
        END IF;
        IF NEW.holder_match <> 'matches' AND NOT NEW.holder_checked THEN
            RAISE EXCEPTION 'a key whose holder nobody checked';
        END IF;
    END IF;
    IF OLD.status = 'approved' AND NEW.status NOT IN ('approved', 'rejected', 'canceled') THEN
        RAISE EXCEPTION 'an approved withdrawal is paid or given back';
    END IF;
    IF OLD.status = 'approved' AND (NEW.digest <> OLD.digest OR NEW.brl <> OLD.brl OR NEW.rate <> OLD.rate) THEN
        RAISE EXCEPTION 'what was approved does not change';
    END IF;
    IF NEW.paid_at IS NOT NULL AND OLD.paid_at IS NULL AND NOT EXISTS (SELECT FROM pix.payment WHERE withdrawal = NEW.id) THEN
        RAISE EXCEPTION 'paid without a payment';
    END IF;
    IF NEW.owner <> OLD.owner OR NEW.usdt <> OLD.usdt OR NEW.fee <> OLD.fee OR NEW.net <> OLD.net OR NEW.hold <> OLD.hold
       OR NEW.key_kind <> OLD.key_kind OR NEW.key_mac <> OLD.key_mac THEN
        RAISE EXCEPTION 'what was agreed with the customer does not change';
    END IF;
    IF NEW.key_sealed <> OLD.key_sealed AND (length(NEW.key_sealed) <> length(OLD.key_sealed)
       OR to_jsonb(NEW) - 'key_sealed' <> to_jsonb(OLD) - 'key_sealed') THEN
        RAISE EXCEPTION 'a key is sealed anew by itself';
    END IF;
    RETURN NEW;
END $$;
