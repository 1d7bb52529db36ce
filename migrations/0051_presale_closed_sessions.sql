-- Who loosens a protection of theirs closes the trading of their other sessions.
GRANT DELETE ON presale.trading_session TO arbora_app;
