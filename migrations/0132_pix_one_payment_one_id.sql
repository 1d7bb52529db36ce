-- PIX: one EndToEndId is one payment of one bank, over the whole house. A withdrawal was recorded as paid by the id of a credited deposit,
-- for each table looked at its own rows alone. Banks tell capitals apart when they draw an id; who types one may not, and no bank draws two
-- that differ in nothing else: an id is kept as the bank wrote it and compared in capitals (docs/rules/pix.md#one-payment-one-id).
CREATE TABLE pix.used_id (
    id         text PRIMARY KEY CHECK (id = upper(id) AND length(id) = 32),
    deposit    uuid UNIQUE REFERENCES pix.deposit,
    withdrawal uuid UNIQUE REFERENCES pix.withdrawal,
    CHECK (num_nonnulls(deposit, withdrawal) = 1)
);
GRANT SELECT, INSERT ON pix.used_id TO arbora_app;

-- What stood twice before stays in the books as it is; the id belongs to the first.
INSERT INTO pix.used_id (id, deposit, withdrawal)
SELECT DISTINCT ON (upper(u.id)) upper(u.id), u.deposit, u.withdrawal
FROM (SELECT end_to_end_id AS id, deposit, NULL::uuid AS withdrawal, at FROM pix.credit
      UNION ALL
      SELECT end_to_end_id, NULL, withdrawal, at FROM pix.payment WHERE end_to_end_id IS NOT NULL) u
WHERE length(u.id) = 32
ORDER BY upper(u.id), u.at;

CREATE FUNCTION pix.use_credited_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pix.used_id (id, deposit) VALUES (upper(NEW.end_to_end_id), NEW.deposit);
    RETURN NEW;
END $$;
CREATE TRIGGER credit_uses_id BEFORE INSERT ON pix.credit FOR EACH ROW EXECUTE FUNCTION pix.use_credited_id();

CREATE FUNCTION pix.use_paid_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.end_to_end_id IS NOT NULL THEN
        INSERT INTO pix.used_id (id, withdrawal) VALUES (upper(NEW.end_to_end_id), NEW.withdrawal);
    END IF;
    RETURN NEW;
END $$;
-- Behind what checks the payment: its name is later in the alphabet.
CREATE TRIGGER payment_uses_id BEFORE INSERT ON pix.payment FOR EACH ROW EXECUTE FUNCTION pix.use_paid_id();

CREATE INDEX credit_bank ON pix.credit (upper(end_to_end_id));
CREATE INDEX payment_bank ON pix.payment (upper(end_to_end_id)) WHERE end_to_end_id IS NOT NULL;
CREATE INDEX claim_bank ON pix.claim (upper(end_to_end_id));
DROP INDEX pix.statement_line_bank;
CREATE INDEX statement_line_bank ON pix.statement_line (upper(end_to_end_id)) WHERE end_to_end_id IS NOT NULL;

-- Our marks are in capitals; a bank may write them otherwise.
UPDATE pix.statement_line SET txid = upper(txid) WHERE txid <> upper(txid);

-- What the books say of a payment is below zero, as the line is.
UPDATE pix.statement_line SET booked_brl = -booked_brl WHERE withdrawal IS NOT NULL AND booked_brl > 0;

-- A line whose credit was taken back looked as if it still stood.
ALTER TABLE pix.statement_line DROP CONSTRAINT statement_line_outcome_check;
ALTER TABLE pix.statement_line ADD CONSTRAINT statement_line_outcome_check CHECK (outcome IN
    ('matched', 'missing_approval', 'reopened', 'amount_differs', 'unknown', 'duplicate', 'without_line', 'reversed'));
ALTER TABLE pix.statement_line DROP CONSTRAINT statement_line_lacks;
UPDATE pix.statement_line l SET outcome = 'reversed' FROM pix.deposit d
WHERE d.id = l.deposit AND d.reversed_at IS NOT NULL AND l.outcome = 'matched';
UPDATE pix.statement_line SET outcome = 'reversed' WHERE number IS NULL AND outcome = 'matched';
ALTER TABLE pix.statement_line ADD CONSTRAINT statement_line_lacks
    CHECK (CASE WHEN number IS NULL THEN outcome IN ('without_line', 'reversed') ELSE outcome <> 'without_line' END);
