//! Every error a client can meet: one line each with its HTTP status. The texts live beside the server, in three languages.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

macro_rules! error_codes {
    ($($name:ident = $text:literal, $status:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($name),+ }

        impl ErrorCode {
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text),+ } }
            /// The HTTP status that goes with the code.
            #[must_use]
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status),+ } }
        }
        impl std::str::FromStr for ErrorCode {
            type Err = ();
            fn from_str(s: &str) -> Result<Self, ()> { match s { $($text => Ok(Self::$name),)+ _ => Err(()) } }
        }
    };
}

error_codes! {
    // any request
    RequestMalformed = "request.malformed", 400;
    RequestUnsupportedMedia = "request.unsupported_media", 415;
    RequestTooLarge = "request.too_large", 413;
    RequestInvalid = "request.invalid", 422;
    FieldUnknown = "field.unknown", 422;
    FieldCharacters = "field.characters", 422;
    RequestNotFound = "request.not_found", 404;
    RequestMethod = "request.method", 405;
    RequestConflict = "request.conflict", 409;
    ExportBusy = "export.busy", 429;
    RateLimited = "request.rate_limited", 429;
    Unavailable = "service.unavailable", 503;
    Busy = "service.busy", 503;
    Internal = "service.internal", 500;
    IdempotencyMissing = "idempotency.missing", 422;
    IdempotencyMismatch = "idempotency.mismatch", 409;
    IdempotencyInFlight = "idempotency.in_flight", 409;
    // accounts
    DataExportTooSoon = "data_export.too_soon", 429;
    Unauthenticated = "auth.unauthenticated", 401;
    AuthFailed = "auth.failed", 401;
    Forbidden = "auth.forbidden", 403;
    AccountInactive = "auth.inactive", 403;
    AccountClosed = "auth.closed", 403;
    ClosingUnsettled = "closing.unsettled", 422;
    ClosingByTwo = "closing.by_two", 422;
    ClosingWallet = "closing.wallet", 422;
    EmailUnconfirmed = "auth.email_unconfirmed", 403;
    ProfileIncomplete = "auth.profile_incomplete", 403;
    LookRefused = "look.refused", 403;
    LookOver = "look.over", 403;
    CodeWrong = "code.wrong", 422;
    CodeUsed = "code.used", 422;
    CodeMissing = "code.missing", 422;
    LinkInvalid = "link.invalid", 422;
    ConfirmationLinkInvalid = "link.confirmation_invalid", 422;
    ChangeLinkInvalid = "link.change_invalid", 422;
    EmailTaken = "email.taken", 422;
    UplineUnknown = "upline.unknown", 404;
    PasswordSame = "password.same", 422;
    PasswordWeak = "password.weak", 422;
    PasswordWrong = "password.wrong", 422;
    OutboundHeld = "outbound.held", 403;
    OutboundDebt = "outbound.debt", 403;
    OutboundPaused = "outbound.paused", 403;
    OutboundRefused = "outbound.refused", 403;
    DeskMaintenance = "desk.maintenance", 403;
    SignUpsPaused = "sign_ups.paused", 403;
    OutboundYoung = "outbound.young", 422;
    OutboundTransactionLimit = "outbound.transaction_limit", 422;
    OutboundDayLimit = "outbound.day_limit", 422;
    ComplianceOpen = "compliance.open", 403;
    ComplianceRefused = "compliance.refused", 409;
    SelfExcluded = "account.excluded", 403;
    LimitInvalid = "limit.invalid", 422;
    WhitelistMissing = "whitelist.missing", 403;
    WhitelistWaiting = "whitelist.waiting", 403;
    WhitelistTwice = "whitelist.twice", 409;
    // money
    AmountInvalid = "amount.invalid", 422;
    AmountNotPositive = "amount.not_positive", 422;
    AmountTooLarge = "amount.too_large", 422;
    BonusHeld = "bonus.held", 422;
    BalanceInsufficient = "balance.insufficient", 422;
    LedgerRefused = "ledger.refused", 409;
    DepositTooSmall = "deposit.too_small", 422;
    DepositTooLarge = "deposit.too_large", 422;
    DepositTooMany = "deposit.too_many", 422;
    DepositState = "deposit.state", 409;
    ChainUnavailable = "chain.unavailable", 503;
    CoinUnavailable = "chain.coin_unavailable", 422;
    RefundInvalid = "deposit.refund_invalid", 422;
    DepositValueMissing = "deposit.value_missing", 422;
    RateUnavailable = "rate.unavailable", 503;
    EndToEndIdInvalid = "pix.end_to_end_id_invalid", 422;
    EndToEndIdOlder = "pix.end_to_end_id_older", 422;
    EndToEndIdUsed = "pix.end_to_end_id_used", 409;
    WithdrawalInvalid = "withdrawal.invalid", 422;
    // The fee of a PYX withdrawal is more than the balance in USDT.
    WithdrawalFeeUncovered = "withdrawal.fee_uncovered", 422;
    WithdrawalState = "withdrawal.state", 409;
    AddressInvalid = "withdrawal.address_invalid", 422;
    AddressRefused = "withdrawal.address_refused", 422;
    GraduationWalletMissing = "graduation.wallet_missing", 422;
    GraduationWalletYoung = "graduation.wallet_young", 422;
    GraduationFundShort = "graduation.fund_short", 422;
    GraduationNoBonus = "graduation.no_bonus", 422;
    HotWalletState = "hot_wallet.state", 409;
    PixKeyInvalid = "pix.key_invalid", 422;
    PixDocumentInvalid = "pix.document_invalid", 422;
    PixDocumentMissing = "pix.document_missing", 422;
    PixDocumentSet = "pix.document_set", 409;
    PixHolderUnchecked = "pix.holder_unchecked", 422;
    PixPaymentMissing = "pix.payment_missing", 422;
    PixPaymentUsed = "pix.payment_used", 409;
    PixFloatMissing = "pix.float_missing", 409;
    StatementMalformed = "pix.statement_malformed", 422;
    StatementCells = "pix.statement_cells", 422;
    StatementColumnTwice = "pix.statement_column_twice", 422;
    StatementLongLine = "pix.statement_long_line", 422;
    StatementTwice = "pix.statement_twice", 409;
    BankStatementTooLong = "pix.statement_too_long", 413;
    ReasonMissing = "decision.reason_missing", 422;
    DecisionOwnMoney = "decision.own_money", 403;
    DecisionSamePerson = "decision.same_person", 409;
    DecisionDone = "decision.done", 409;
    DecisionNoWord = "decision.no_word", 409;
    DecisionChanged = "decision.changed", 409;
    DecisionGranted = "decision.granted", 403;
    DecisionFrozen = "decision.frozen", 403;
    DecisionTooNew = "decision.too_new", 403;
    FreezeStands = "freeze.stands", 409;
    StatementTooLong = "statement.too_long", 422;
    StatementUnknown = "statement.unknown", 404;
    TransferSelf = "transfer.self", 422;
    // one's own wallet on chain
    WalletAddressInvalid = "wallet.address_invalid", 422;
    WalletAddressRefused = "wallet.address_refused", 422;
    WalletGasMissing = "wallet.gas_missing", 422;
    WalletBusy = "wallet.busy", 409;
    SwapPair = "wallet.swap_pair", 422;
    SwapQuoteOld = "wallet.swap_quote_old", 409;
    SwapPriceMoved = "wallet.swap_price_moved", 409;
    SlippageInvalid = "wallet.slippage_invalid", 422;
    // licences and robots
    PlanUnknown = "plan.unknown", 404;
    LicenceUnknown = "licence.unknown", 404;
    LicenceState = "licence.state", 409;
    LicenceFinal = "licence.final", 409;
    AllocationLimit = "licence.allocation_limit", 422;
    AllocationTooSmall = "licence.allocation_too_small", 422;
    FundsReserved = "licence.funds_reserved", 409;
    LotsLocked = "licence.lots_locked", 422;
    RiskNotAccepted = "licence.risk_not_accepted", 422;
    LoanOpen = "loan.open", 409;
    LoanNone = "loan.none", 409;
    LoanLimit = "loan.limit", 422;
    LoanCollateral = "loan.collateral", 422;
    ResultReversed = "result.reversed", 409;
    ResultNotBooked = "result.not_booked", 409;
    ResultDayClosed = "result.day_closed", 409;
    ResultSpent = "result.spent", 409;
    ResultNoRoom = "result.no_room", 409;
    ResultLoan = "result.loan", 409;
    ResultLots = "result.lots", 409;
    ManualKeyOff = "manual.key_off", 409;
    ManualRevoked = "manual.revoked", 409;
    ManualNoTopup = "manual.no_topup", 409;
    ManualLimitReached = "manual.limit_reached", 409;
    ManualGoalReached = "manual.goal_reached", 409;
    ManualPaused = "manual.paused", 409;
    ManualNotAllocated = "manual.not_allocated", 409;
    ManualTooEarly = "manual.too_early", 409;
    ManualOpen = "manual.open", 409;
    ManualWait = "manual.wait", 409;
    ManualDeskOff = "manual.desk_off", 409;
    PoolUnknown = "pool.unknown", 404;
    PoolClosed = "pool.closed", 409;
    PoolMinimum = "pool.minimum", 422;
    PoolNameTaken = "pool.name_taken", 409;
    PoolPeriod = "pool.period", 422;
    PoolProofMissing = "pool.proof_missing", 422;
    PoolRevenueSeen = "pool.revenue_seen", 409;
    YieldDay = "yield.day", 422;
    YieldUnreconciled = "yield.unreconciled", 409;
    GoalOutOfRange = "robot.goal_out_of_range", 422;
    // copying
    LeaderUnknown = "leader.unknown", 404;
    LeaderClosed = "leader.closed", 409;
    LeaderTooYoung = "leader.too_young", 422;
    LeaderOperations = "leader.too_few_operations", 422;
    LeaderAllocation = "leader.allocation_too_small", 422;
    LeaderFollows = "leader.follows", 409;
    LeaderManualKey = "leader.manual_key", 409;
    FollowOwn = "follow.own", 422;
    FollowTwice = "follow.twice", 409;
    FollowLeads = "follow.leads", 409;
    FollowManualKey = "follow.manual_key", 409;
    FollowMaximumLoss = "follow.maximum_loss", 422;
    FollowNone = "follow.none", 409;
    // the rulebook
    RuleUnknown = "rules.unknown", 422;
    RuleOutOfRange = "rules.out_of_range", 422;
    RuleUnchanged = "rules.unchanged", 422;
    RulesContradict = "rules.contradict", 422;
    RuleWaiting = "rules.waiting", 409;
    RulesMoved = "rules.moved", 409;
    RuleState = "rules.state", 409;
    // live trading
    LiveWorld = "live.world", 409;
    LiveFeed = "live.feed", 409;
    LiveKeys = "live.keys", 409;
    LiveWord = "live.word", 422;
    LiveState = "live.state", 409;
    PlanTwice = "plan.twice", 409;
    // files and support
    FileType = "file.type", 422;
    FileTooLarge = "file.too_large", 413;
    FileEmpty = "file.empty", 422;
    FileDamaged = "file.damaged", 422;
    FileDimensions = "file.dimensions", 422;
    FileSides = "file.sides", 422;
    FileFrames = "file.frames", 422;
    FileActive = "file.active", 422;
    FileBusy = "file.busy", 429;
    FileQuota = "file.quota", 429;
    ContentIncomplete = "content.incomplete", 409;
    ContentQuota = "content.quota", 409;
    TicketUnknown = "ticket.unknown", 404;
    TicketOneOpen = "ticket.one_open", 409;
    TicketClosed = "ticket.closed", 409;
    TicketCategoryMissing = "ticket.category_missing", 422;
    TicketTaken = "ticket.taken", 409;
    TicketNotTaken = "ticket.not_taken", 409;
    TicketOwn = "ticket.own", 403;
    TicketNotesFull = "ticket.notes_full", 409;
    TicketMerged = "ticket.merged", 409;
    TicketOtherPerson = "ticket.other_person", 422;
    TicketDoublesFull = "ticket.doubles_full", 409;
    TicketRated = "ticket.rated", 409;
    TicketNotRatable = "ticket.not_ratable", 409;
    AgentUnknown = "agent.unknown", 422;
    CannedReplyTitle = "canned_reply.title", 409;
    CannedReplyVariable = "canned_reply.variable", 422;
    CannedRepliesFull = "canned_reply.full", 409;
    MessageEmpty = "message.empty", 422;
    MessageTooLong = "message.too_long", 422;
    MessageTooOld = "message.too_old", 409;
    UserUnknown = "user.unknown", 404;
    UserOwn = "user.own", 403;
    // identity
    AccountFrozen = "auth.frozen", 403;
    PasswordEnded = "auth.password_ended", 403;
    PasswordMismatch = "password.mismatch", 422;
    TermsMissing = "terms.missing", 422;
    AdultMissing = "adult.missing", 422;
    RiskMissing = "risk.missing", 422;
    RiskNotRecorded = "risk.not_recorded", 422;
    FieldRequired = "field.required", 422;
    EmailInvalid = "email.invalid", 422;
    EmailByTwo = "email.by_two", 403;
    EmailByStaff = "email.by_staff", 403;
    BirthDateInvalid = "profile.birth_date_invalid", 422;
    TimeZoneUnknown = "profile.time_zone_unknown", 422;
    SocialInvalid = "profile.social_invalid", 422;
    NoticesLocked = "notifications.locked", 409;
    PushHostUnknown = "push.host_unknown", 422;
    PushGone = "push.gone", 409;
    FactorState = "factor.state", 409;
    PasskeyRefused = "passkey.refused", 422;
    PasskeysFull = "passkey.full", 409;
    GoogleRefused = "google.refused", 422;
    GoogleExpired = "google.expired", 422;
    GoogleUnverified = "google.unverified", 422;
    GoogleLinkFirst = "google.link_first", 409;
    GoogleTaken = "google.taken", 409;
    GoogleLinked = "google.linked", 409;
    GoogleOnlyWay = "google.only_way", 409;
    RolesOwn = "roles.own", 403;
    LastAdministrator = "roles.last_administrator", 409;
    RolesMixed = "roles.mixed", 422;
    RolesWaiting = "roles.waiting", 409;
    RolesTwoPersons = "roles.two_persons", 409;
    OriginRefused = "origin.refused", 403;
    // PYX
    PresaleRoundUnknown = "presale.round_unknown", 404;
    PresaleClosed = "presale.closed", 409;
    PresaleSupply = "presale.supply", 422;
    PresaleCap = "presale.cap", 422;
    PresaleRoundBegun = "presale.round_begun", 409;
    PresaleOverlap = "presale.overlap", 409;
    PresaleNothingVested = "presale.nothing_vested", 422;
    OrderUnknown = "order.unknown", 404;
    OrderDone = "order.done", 409;
    OrderMarketClosed = "order.market_closed", 409;
    OrderTick = "order.tick", 422;
    OrderLot = "order.lot", 422;
    OrderBand = "order.band", 422;
    OrderTooMany = "order.too_many", 422;
    OrderReference = "order.reference", 422;
    OrderLoss = "order.loss", 422;
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}
impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        text.parse().map_err(|()| de::Error::custom("unknown error code"))
    }
}

#[cfg(feature = "openapi")]
mod schema {
    use super::ErrorCode;
    use crate::StreamId;
    use utoipa::{
        PartialSchema, ToSchema,
        openapi::{ObjectBuilder, RefOr, Schema, schema::Type},
    };

    impl PartialSchema for ErrorCode {
        fn schema() -> RefOr<Schema> {
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(ErrorCode::ALL.iter().map(|c| c.as_str())))
                .into()
        }
    }
    impl ToSchema for ErrorCode {}

    impl PartialSchema for StreamId {
        fn schema() -> RefOr<Schema> {
            ObjectBuilder::new()
                .schema_type(Type::String)
                .pattern(Some("^(public|(user|ticket):[0-9a-f-]{36}|queue:[a-z-]+)$"))
                .into()
        }
    }
    impl ToSchema for StreamId {}
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique_and_read_back() {
        let mut seen = HashSet::new();
        for code in ErrorCode::ALL {
            assert!(seen.insert(code.as_str()), "{} twice", code.as_str());
            assert_eq!(code.as_str().parse(), Ok(*code));
            assert!((400..=599).contains(&code.status()));
        }
    }
}
