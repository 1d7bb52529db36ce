-- Identity: accounts that are not active are few, and are looked up apart from the others: the closing of a day asks of some hundred thousand
-- people who of them is none of these (docs/decisions/0108-closing-asks-less.md).
-- Holds identity.account: an index is built over those that are not active.
CREATE INDEX account_away ON identity.account (id) WHERE status <> 'active';
