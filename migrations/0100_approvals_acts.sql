-- Approvals: what staff do beside queues is decided too. One person alone, frozen or made an administrator a minute before, took credits
-- back, called withdrawals paid, read keys and ended the platform's pause: none of it wrote a decision, so none met its checks.

ALTER TABLE approvals.decision DROP CONSTRAINT decision_kind_check;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_kind_check CHECK (kind IN ('pix_deposit', 'pix_withdrawal', 'crypto_withdrawal',
    'crypto_deposit', 'sponsorship', 'graduation_bonus', 'pool_revenue', 'declared_holdings', 'money_settings', 'live_trading',
    'admin_grant', 'transfer', 'outbound_pause', 'pause_lift', 'pix_reversal', 'pix_payment', 'pix_key', 'pix_holder', 'payout_retry',
    'held_bonus', 'hot_wallet', 'manual_key'));
-- A pause is switched on by one; what ends it, or the stop of the hot wallet, is by two.
ALTER TABLE approvals.decision DROP CONSTRAINT decision_always_two;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_always_two CHECK (verdict = 'reject' OR needed = 2
    OR kind NOT IN ('pool_revenue', 'money_settings', 'live_trading', 'pause_lift', 'hot_wallet'));

-- Whether all approvals of this kind are there for a thing that cannot change between them.
CREATE FUNCTION approvals.is_decided(of_kind text, of_subject uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM approvals.decision
        WHERE kind = of_kind AND subject = of_subject AND verdict = 'approve' AND position = needed)
$$;

-- Whether somebody stands in the direct line of a person: neither decides about the other.
CREATE FUNCTION approvals.in_line(person uuid, other uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM affiliates.member m WHERE (m.id = person AND m.sponsor = other) OR (m.id = other AND m.sponsor = person))
$$;

-- Pauses that one had proposed and nobody agreed to held nothing: they end here.
UPDATE approvals.pause SET lifted_by = proposed_by, lifted_at = now() WHERE active_from IS NULL AND lifted_at IS NULL;

CREATE OR REPLACE FUNCTION approvals.check_pause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.active_from IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.active_from IS NULL)
        AND NOT approvals.is_approved('outbound_pause', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'a pause without its decision' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_approved';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF OLD.lifted_at IS NOT NULL OR NEW.user_id IS DISTINCT FROM OLD.user_id OR NEW.reason <> OLD.reason OR NEW.digest <> OLD.digest THEN
            RAISE EXCEPTION 'a pause stays as it was decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_done';
        END IF;
        IF NEW.lifted_at IS NOT NULL AND NOT approvals.is_decided('pause_lift', NEW.id) THEN
            RAISE EXCEPTION 'two persons end a pause' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_lift_approved';
        END IF;
    END IF;
    RETURN NEW;
END $$;

-- Who is in the direct line of one of a case's two sides decides it as little as they do; a bonus is let go by its decision.
CREATE OR REPLACE FUNCTION approvals.check_case_decider() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.decided_by IS NULL OR NEW.decided_by IS NOT DISTINCT FROM OLD.decided_by THEN
        RETURN NEW;
    END IF;
    IF approvals.is_frozen(NEW.decided_by) THEN
        RAISE EXCEPTION 'decisions of this person are frozen' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_frozen';
    END IF;
    IF NOT approvals.counts(NEW.decided_by, NEW.decided_at) THEN
        RAISE EXCEPTION 'the permission does not count yet' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_too_new';
    END IF;
    IF approvals.in_line(NEW.decided_by, NEW.user_id) OR approvals.in_line(NEW.decided_by, NEW.counterparty) THEN
        RAISE EXCEPTION 'the customer stands in the direct line of who decides' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_own_money';
    END IF;
    IF NEW.flow = 'bonus' AND NEW.status = 'cleared' AND NOT approvals.is_decided('held_bonus', NEW.id) THEN
        RAISE EXCEPTION 'a bonus without its approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_approved';
    END IF;
    RETURN NEW;
END $$;

-- An open case of bonuses is worth all that it holds: it kept the worth of the first one, and the rest went free with it.
GRANT UPDATE (usdt) ON approvals.compliance_case TO arbora_app;
UPDATE approvals.compliance_case c SET usdt = h.held
FROM (SELECT r.case_id, sum(b.paid + b.waiting) AS held FROM affiliates.review r JOIN affiliates.bonus b ON b.review = r.id
      WHERE r.status = 'open' GROUP BY r.case_id) h
WHERE c.id = h.case_id AND c.status = 'open' AND h.held > c.usdt;

-- A payment is recorded by the word of who paid, or with the last approval itself.
CREATE OR REPLACE FUNCTION pix.check_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pix.withdrawal w WHERE w.id = NEW.withdrawal AND w.status = 'approved' AND w.brl = NEW.brl
                   AND w.owner <> NEW.paid_by AND approvals.is_approved('pix_withdrawal', w.id, w.digest)) THEN
        RAISE EXCEPTION 'a payment of what was not approved';
    END IF;
    IF NOT EXISTS (SELECT FROM approvals.decision d WHERE d.subject = NEW.withdrawal AND d.decided_by = NEW.paid_by AND d.verdict = 'approve'
                   AND (d.kind = 'pix_payment' OR (d.kind = 'pix_withdrawal' AND d.position = d.needed AND d.at = NEW.at))) THEN
        RAISE EXCEPTION 'a payment without its decision' USING ERRCODE = 'check_violation', CONSTRAINT = 'payment_decided';
    END IF;
    RETURN NEW;
END $$;

-- A credit is taken back by as many as it takes to give it.
CREATE FUNCTION pix.check_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.reversed_at IS NOT NULL AND NEW.reversed_at IS DISTINCT FROM OLD.reversed_at THEN
        RAISE EXCEPTION 'a credit is taken back once';
    END IF;
    IF NEW.reversed_at IS NOT NULL AND OLD.reversed_at IS NULL AND NOT approvals.is_decided('pix_reversal', NEW.id) THEN
        RAISE EXCEPTION 'a credit taken back without its approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'reversal_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deposit_reversal BEFORE UPDATE OF reversed_at ON pix.deposit FOR EACH ROW EXECUTE FUNCTION pix.check_reversal();

-- What was asked for and waits for a second person is found by its kind.
CREATE INDEX decision_first ON approvals.decision (kind, at) WHERE verdict = 'approve' AND position = 1 AND needed = 2;

-- With who has asked to take the credit back, while a second person is awaited.
DROP VIEW pix.shown;
CREATE VIEW pix.shown AS
SELECT d.*, a.username, a.full_name, a.email, a.created_at AS member_since, f.mime AS proof_mime,
       c.brl AS brl_received, c.usdt AS credited,
       k.end_to_end_id AS claim_id, k.payer_name AS claim_payer, k.brl AS claim_brl, k.usdt AS claim_usdt,
       b.full_name AS claim_by,
       l.end_to_end_id AS line_id, l.payer_name AS line_payer, l.brl AS line_brl,
       -- Equal bytes, or equal pixels in another wrapping, among the proofs of other deposits.
       EXISTS (SELECT FROM pix.proof p JOIN pix.proof o ON o.deposit <> p.deposit AND (o.sha256 = p.sha256 OR o.pixels = p.pixels)
               WHERE p.file = d.proof) AS proof_seen_before,
       (SELECT count(*) FROM pix.deposit e WHERE e.owner = d.owner AND e.status = 'approved' AND e.id <> d.id) AS approved_before,
       (SELECT count(*) FROM pix.deposit e WHERE e.owner = d.owner AND e.id <> d.id
            AND e.created_at BETWEEN d.created_at - interval '24 hours' AND d.created_at) AS day_before,
       r.username AS reversal_asked_by, r.reason AS reversal_reason
FROM pix.deposit d
JOIN identity.account a ON a.id = d.owner
LEFT JOIN foundation.file f ON f.id = d.proof
LEFT JOIN pix.credit c ON c.deposit = d.id
LEFT JOIN pix.claim k ON k.deposit = d.id
LEFT JOIN identity.account b ON b.id = k.claimed_by
LEFT JOIN pix.statement_line l ON l.id = d.statement_line
LEFT JOIN LATERAL (
    SELECT w.username, x.reason FROM approvals.decision x JOIN identity.account w ON w.id = x.decided_by
    WHERE d.status = 'approved' AND d.reversed_at IS NULL
      AND x.kind = 'pix_reversal' AND x.subject = d.id AND x.verdict = 'approve' AND x.position = 1) r ON true;
GRANT SELECT ON pix.shown TO arbora_app;
