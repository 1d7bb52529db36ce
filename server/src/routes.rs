//! Every path of the API on one page: method, path below /api, who may call it, how often.
//!
//! Words behind a line: `inactive` accounts may still use it (every read of their own, none of staff); `outbound` moves money out and
//! must pass the guard; accounts with an `unconfirmed` address may use it; it `tells_missing` itself what an account has not accepted; an
//! `incomplete` account may use it; it `shields` an account, so that no other session of it uses up its rate.
//! What is not `seen` is refused to who looks at an account as its owner sees it (docs/decisions/0085-looking-as-somebody.md).
//! What `admin_permissions` changes is refused to who is frozen or does not count yet, but for what `protects` (it only ever stops what
//! could move money) and what `looks` (it changes nothing).

use crate::identity::gate::{
    Access::{self, Permission as Holds, Public, SignedIn},
    Inactive, Limit, Route,
};
use Limit::{Money, Read, Search, Sensitive, Upload, Write};
use Queue::{
    Compliance, CryptoDeposits, CryptoWithdrawals, GraduationBonuses, Grants, Holdings, Live, Pauses,
    PixDeposits, PixWithdrawals, PoolRevenue, Rounds, Settings, Sponsorship, Tickets, Transfers,
};
use protocol::{
    Permission::{
        AdminDashboard, AdminPermissions, ListUsers, RegisteredUser, ResponseTicket, UserEdit, UserView,
    },
    Queue,
};

/// What those who run the house ask a server, outside of `/api`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The process lives: 200 for anybody.
    Alive,
    /// It can serve: 200, or 503 with the reasons. For anybody; the proxy hides it.
    Ready,
    /// Its figures, in Prometheus' text format: for this machine and the networks of `ARBORA_METRICS_FROM`, 404 for others.
    Figures,
}

/// Beside the API: they stand before the pages, which answer for every other path.
pub const PROBES: &[(&str, Probe)] = &[
    ("/healthz", Probe::Alive),
    ("/readyz", Probe::Ready),
    ("/metrics", Probe::Figures),
];

macro_rules! table {
    ($($method:ident $path:literal $access:expr, $limit:expr $(, $flag:ident)*;)+) => {
        &[$(route(stringify!($method), $path, $access, $limit, &[$(stringify!($flag)),*])),+]
    };
}

const fn route(
    method: &'static str,
    path: &'static str,
    access: Access,
    limit: Limit,
    flags: &[&'static str],
) -> Route {
    let mut inactive = Inactive::Refused;
    let mut outbound = false;
    let mut unconfirmed = false;
    let mut undeciding = false;
    let mut shields = false;
    let mut tells_missing = false;
    let mut incomplete = false;
    let mut seen = false;
    let mut i = 0;
    while i < flags.len() {
        match flags[i].as_bytes() {
            b"inactive" => inactive = Inactive::Allowed,
            b"outbound" => outbound = true,
            b"unconfirmed" => unconfirmed = true,
            b"protects" | b"looks" => undeciding = true,
            b"shields" => shields = true,
            b"tells_missing" => tells_missing = true,
            b"incomplete" => incomplete = true,
            b"seen" => seen = true,
            _ => panic!("unknown flag"),
        }
        i += 1;
    }
    // Reading what is one's own is never taken away from an inactive account; what staff read is.
    if matches!(method.as_bytes(), b"GET") && !matches!(access, Holds(p) if !matches!(p, RegisteredUser)) {
        inactive = Inactive::Allowed;
    }
    Route {
        method,
        path,
        access,
        limit,
        inactive,
        outbound,
        unconfirmed,
        shields,
        undeciding,
        tells_missing,
        incomplete,
        seen,
    }
}

/// A queue's list is for those who see the queue.
const fn sees(queue: Queue) -> Access {
    Holds(queue.permission())
}

/// A decision is for those who decide in its queue.
const fn decides(queue: Queue) -> Access {
    Holds(queue.decides())
}

#[rustfmt::skip]
pub const ROUTES: &[Route] = table! {
    // the platform
    GET    "/config"                                     Public, Read;
    GET    "/openapi.json"                               Public, Read;
    GET    "/privacy/retention"                          Public, Read;
    // identity
    POST   "/auth/login"                                 Public, Sensitive;
    POST   "/auth/password-strength"                     Public, Write;
    POST   "/auth/2fa"                                   Public, Sensitive;
    POST   "/auth/2fa/resend"                            Public, Sensitive;
    POST   "/auth/passkey/options"                       Public, Sensitive;
    POST   "/auth/passkey"                               Public, Sensitive;
    POST   "/auth/refresh"                               Public, Write, shields;
    POST   "/auth/logout"                                Public, Write, shields;
    POST   "/auth/register/{upline}"                     Public, Sensitive;
    GET    "/affiliates/verify-upline/{upline}"          Public, Search;
    GET    "/email/verify/{id}/{token}"                  Public, Sensitive;
    GET    "/email/change/{token}"                       Public, Sensitive;
    POST   "/email/change/{token}"                       Public, Sensitive;
    POST   "/email/verification-notification"            SignedIn, Sensitive, inactive;
    POST   "/email/correction"                           SignedIn, Sensitive, inactive;
    POST   "/oauth/google"                               Public, Sensitive;
    GET    "/oauth/google/callback"                      Public, Sensitive;
    GET    "/oauth/callback/token/{token}"               Public, Sensitive;
    POST   "/forgot-password"                            Public, Sensitive;
    GET    "/verifySignature/{signature}"                Public, Sensitive;
    POST   "/redefine-password/{token}"                  Public, Sensitive;
    POST   "/new-password/{token}/{email}"               Public, Sensitive;
    GET    "/me"                                         SignedIn, Read, shields, seen;
    POST   "/me/complete"                                SignedIn, Sensitive, inactive;
    PATCH  "/me"                                         Holds(RegisteredUser), Write;
    POST   "/me/change-password"                         Holds(RegisteredUser), Sensitive, inactive, shields;
    POST   "/me/upload-image"                            Holds(RegisteredUser), Upload;
    DELETE "/me/avatar"                                  Holds(RegisteredUser), Write;
    GET    "/people/pictures"                            Holds(RegisteredUser), Read;
    GET    "/me/acceptances"                             Holds(RegisteredUser), Read;
    GET    "/me/looks"                                   Holds(RegisteredUser), Read;
    GET    "/me/export"                                  Holds(RegisteredUser), Read;
    POST   "/me/export"                                  Holds(RegisteredUser), Sensitive, inactive;
    POST   "/me/export/{id}/download"                    Holds(RegisteredUser), Sensitive, inactive;
    GET    "/me/closing"                                 Holds(RegisteredUser), Read, unconfirmed;
    POST   "/me/closing"                                 Holds(RegisteredUser), Sensitive, inactive, unconfirmed, incomplete;
    DELETE "/me/closing"                                 Holds(RegisteredUser), Write, inactive, shields, unconfirmed, incomplete;
    POST   "/me/email"                                   Holds(RegisteredUser), Sensitive;
    DELETE "/me/email"                                   Holds(RegisteredUser), Write, inactive, shields;
    POST   "/security-code"                              Holds(RegisteredUser), Sensitive, inactive, shields, unconfirmed, incomplete;
    POST   "/security-code/passkey"                      Holds(RegisteredUser), Sensitive, inactive, shields;
    POST   "/security-code/passkey/proof"                Holds(RegisteredUser), Sensitive, inactive, shields;
    POST   "/setup-2fa"                                  Holds(RegisteredUser), Sensitive, inactive, shields;
    GET    "/me/passkeys"                                Holds(RegisteredUser), Read;
    POST   "/me/passkeys"                                Holds(RegisteredUser), Sensitive, inactive, shields;
    POST   "/me/passkeys/options"                        Holds(RegisteredUser), Sensitive, inactive, shields;
    PATCH  "/me/passkeys/{id}"                           Holds(RegisteredUser), Write, inactive;
    POST   "/me/passkeys/{id}/remove"                    Holds(RegisteredUser), Sensitive, inactive, shields;
    POST   "/me/google"                                  Holds(RegisteredUser), Sensitive, inactive, shields;
    POST   "/me/google/remove"                           Holds(RegisteredUser), Sensitive, inactive, shields;
    GET    "/sessions"                                   SignedIn, Read, shields;
    DELETE "/sessions/{id}"                              SignedIn, Write, inactive, shields;
    POST   "/ws-ticket"                                  SignedIn, Write, inactive;
    GET    "/ws"                                         Public, Write;
    // administration of people
    GET    "/admin/users-list/"                          Holds(ListUsers), Read;
    GET    "/admin/user/{id}"                            Holds(UserView), Read;
    GET    "/admin/user/{id}/network"                    Holds(UserView), Read;
    GET    "/admin/user/{id}/notes"                      Holds(UserView), Read;
    POST   "/admin/user/{id}/notes"                      Holds(UserView), Write;
    POST   "/admin/user"                                 Holds(UserEdit), Sensitive;
    POST   "/admin/sendemail/creation/user/{id}"         Holds(UserEdit), Sensitive;
    PATCH  "/admin/user/{id}/edit"                       Holds(UserEdit), Write;
    POST   "/admin/user/{id}/upload-image"               Holds(UserEdit), Upload;
    DELETE "/admin/user/{id}/avatar"                     Holds(UserEdit), Write;
    POST   "/admin/user/{id}/look"                       Holds(AdminPermissions), Sensitive;
    DELETE "/admin/user/{id}/look"                       Holds(AdminPermissions), Write, protects, shields;
    GET    "/admin/user/{id}/sessions"                   Holds(AdminPermissions), Read;
    DELETE "/admin/user/{id}/sessions"                   Holds(AdminPermissions), Write, shields;
    GET    "/admin/user/{id}/related"                    Holds(AdminPermissions), Read;
    GET    "/admin/related-accounts"                     Holds(AdminPermissions), Read;
    GET    "/admin/user-logs-list/{userId}"              Holds(AdminPermissions), Read;
    GET    "/admin/audit"                                Holds(AdminPermissions), Read;
    GET    "/admin/audit/{id}"                           Holds(AdminPermissions), Read;
    GET    "/admin/audit-chain"                          Holds(AdminPermissions), Read;
    GET    "/admin/roles"                                Holds(AdminPermissions), Read;
    PATCH  "/roles/{userId}/add-role"                    Holds(AdminPermissions), Write;
    POST   "/roles/{userId}/remove-role"                 Holds(AdminPermissions), Write;
    GET    "/admin/role-holders"                         Holds(AdminPermissions), Read;
    GET    "/admin/grants"                               sees(Grants), Read;
    POST   "/admin/grants/{id}/approve"                  decides(Grants), Write;
    POST   "/admin/grants/{id}/reject"                   decides(Grants), Write;
    POST   "/admin/freezes"                              Holds(AdminPermissions), Write, shields;
    POST   "/admin/freezes/{id}/lift"                    decides(Grants), Write;
    // affiliates
    GET    "/affiliates/my-upline"                       Holds(RegisteredUser), Read, seen;
    PATCH  "/affiliates/binary-tree/save-selected-leg"   Holds(RegisteredUser), Write;
    GET    "/affiliates/diagram-binary-tree/{param}"     Holds(RegisteredUser), Read, seen;
    GET    "/affiliates/reference-list"                  Holds(RegisteredUser), Read, seen;
    GET    "/affiliates/graduations"                     Holds(RegisteredUser), Read, seen;
    GET    "/affiliates/dashboard"                       Holds(RegisteredUser), Read, seen;
    GET    "/affiliates/bonus-log"                       Holds(RegisteredUser), Read, seen;
    GET    "/affiliates/bonus-log/{bonus}"               Holds(RegisteredUser), Read, seen;
    GET    "/affiliates/bonus-log/{bonus}/sales"         Holds(RegisteredUser), Read, seen;
    GET    "/affiliates/bonus-log/{bonus}/path/{member}" Holds(RegisteredUser), Read, seen;
    GET    "/admin/bonus-report"                         Holds(AdminPermissions), Read;
    GET    "/admin/bonus-report/{bonus}"                 Holds(AdminPermissions), Read;
    GET    "/admin/bonus-report/{bonus}/sales"           Holds(AdminPermissions), Read;
    GET    "/admin/bonus-report/{bonus}/path/{member}"   Holds(AdminPermissions), Read;
    GET    "/admin/payout-report"                        Holds(AdminPermissions), Read;
    GET    "/admin/binary-lost-points-report"            Holds(AdminPermissions), Read;
    GET    "/admin/graduation"                           sees(GraduationBonuses), Read;
    GET    "/admin/graduation/pay-bonus/{id}"            decides(GraduationBonuses), Read;
    POST   "/admin/graduation/pay-bonus"                 decides(GraduationBonuses), Money;
    POST   "/admin/graduation/reject-bonus"              decides(GraduationBonuses), Money;
    GET    "/admin/graduations"                          Holds(AdminPermissions), Read;
    POST   "/bonus/withdraw"                             Holds(RegisteredUser), Money, inactive;
    // approvals: what stands before outgoing money
    GET    "/outbound-state"                             Holds(RegisteredUser), Read, seen;
    GET    "/whitelist"                                  Holds(RegisteredUser), Read, shields;
    POST   "/whitelist"                                  Holds(RegisteredUser), Sensitive, inactive, outbound;
    POST   "/whitelist/{id}/remove"                      Holds(RegisteredUser), Sensitive, inactive, outbound, shields;
    POST   "/whitelist/on"                               Holds(RegisteredUser), Write, inactive, shields;
    POST   "/whitelist/off"                              Holds(RegisteredUser), Sensitive, inactive, outbound;
    GET    "/self-limits"                                Holds(RegisteredUser), Read, shields, seen;
    POST   "/self-limits"                                Holds(RegisteredUser), Write, inactive, outbound, shields;
    POST   "/self-exclusion"                             Holds(RegisteredUser), Write, inactive, shields;
    GET    "/admin/compliance/cases"                     sees(Compliance), Read;
    PATCH  "/admin/compliance/cases"                     decides(Compliance), Write;
    GET    "/admin/outbound-pauses"                      sees(Pauses), Read;
    POST   "/admin/outbound-pauses"                      Holds(AdminPermissions), Write, shields;
    POST   "/admin/outbound-pauses/{id}/lift"            decides(Pauses), Write;
    // licences and robots
    GET    "/licences/plans"                             Holds(RegisteredUser), Read, seen;
    GET    "/licences/terms"                             Holds(RegisteredUser), Read, seen;
    POST   "/licences/buy"                               Holds(RegisteredUser), Money;
    POST   "/licences/topup"                             Holds(RegisteredUser), Money;
    POST   "/licences/reinvest"                          Holds(RegisteredUser), Money;
    POST   "/licences/cancel"                            Holds(RegisteredUser), Money, inactive;
    POST   "/licences/capital-withdraw"                  Holds(RegisteredUser), Money, inactive;
    POST   "/licences/loan"                              Holds(RegisteredUser), Money;
    POST   "/licences/loan-repay"                        Holds(RegisteredUser), Money, inactive;
    GET    "/licences/{licence}/loan-terms"              Holds(RegisteredUser), Read, seen;
    POST   "/admin/licences/{id}/manual-key"             Holds(AdminPermissions), Write;
    GET    "/get-user-licenses"                          Holds(RegisteredUser), Read, seen;
    GET    "/dashboard/my-results"                       Holds(RegisteredUser), Read, seen;
    GET    "/dashboard/my-results/without-operation"     Holds(RegisteredUser), Read, seen;
    GET    "/dashboard/analytics/{param}"                Holds(RegisteredUser), Read, seen;
    GET    "/dashboard/paid-by"                          Holds(RegisteredUser), Read, seen;
    GET    "/trader/orders-history/{robotId}"            Holds(RegisteredUser), Read, seen;
    POST   "/trader/allocate-value-in-trading"           Holds(RegisteredUser), Money;
    POST   "/trader/relocate-value"                      Holds(RegisteredUser), Money;
    POST   "/trader/robot-withdraw"                      Holds(RegisteredUser), Money, inactive;
    PATCH  "/trader/config-robot-trader"                 Holds(RegisteredUser), Write;
    GET    "/trader/search-config-robot-trader"          Holds(RegisteredUser), Read, seen;
    POST   "/trader/manual"                              Holds(RegisteredUser), Money;
    POST   "/trader/manual/{id}/cancel"                  Holds(RegisteredUser), Write;
    GET    "/trader/manual"                              Holds(RegisteredUser), Read, seen;
    GET    "/admin/reports/manual"                       Holds(AdminDashboard), Read;
    GET    "/trader/leaders"                             Holds(RegisteredUser), Read, seen;
    GET    "/trader/leading"                             Holds(RegisteredUser), Read, seen;
    POST   "/trader/leading"                             Holds(RegisteredUser), Write;
    POST   "/trader/follow"                              Holds(RegisteredUser), Write;
    POST   "/trader/unfollow"                            Holds(RegisteredUser), Write;
    GET    "/trader/following"                           Holds(RegisteredUser), Read, seen;
    GET    "/admin/feeds"                                Holds(AdminDashboard), Read;
    GET    "/admin/robots"                               Holds(AdminPermissions), Read;
    GET    "/admin/robots/{robotId}/operations"          Holds(AdminPermissions), Read;
    POST   "/admin/robots/{robotId}/operations/{operationId}/reverse" Holds(AdminPermissions), Money;
    GET    "/admin/trading/live"                         sees(Live), Read;
    POST   "/admin/trading/live"                         Holds(AdminPermissions), Write;
    POST   "/admin/trading/live/confirm"                 decides(Live), Write;
    POST   "/admin/trading/live/off"                     Holds(AdminPermissions), Write, protects, shields;
    GET    "/admin/trading/live/residues"                Holds(AdminDashboard), Read;
    // PIX
    GET    "/pix/rate"                                   Holds(RegisteredUser), Read, seen;
    POST   "/deposit-pix"                                Holds(RegisteredUser), Money;
    POST   "/deposit-pix/{id}/proof"                     Holds(RegisteredUser), Upload;
    POST   "/deposit-pix/{id}/cancel"                    Holds(RegisteredUser), Write, inactive;
    GET    "/list-deposits-pix"                          Holds(RegisteredUser), Read, seen;
    GET    "/admin/list-deposits-pix-approve-reject"     sees(PixDeposits), Read;
    GET    "/admin/pix-deposits-report"                  sees(PixDeposits), Read;
    PATCH  "/admin/deposits-pix-approve-reject"          decides(PixDeposits), Money;
    POST   "/admin/deposits-pix/{id}/reverse"            Holds(AdminPermissions), Money;
    GET    "/pix/holder"                                 Holds(RegisteredUser), Read;
    POST   "/pix/holder"                                 Holds(RegisteredUser), Sensitive, inactive;
    DELETE "/admin/pix/holder/{userId}"                  Holds(AdminPermissions), Write;
    POST   "/withdraw-pix/quote"                         Holds(RegisteredUser), Money, inactive;
    POST   "/withdraw-pix"                               Holds(RegisteredUser), Money, inactive, outbound;
    POST   "/withdraw-pix/{id}/cancel"                   Holds(RegisteredUser), Money, inactive, shields;
    POST   "/withdraw-pix/{id}/requote"                  Holds(RegisteredUser), Money, inactive;
    GET    "/list-withdraws-pix"                         Holds(RegisteredUser), Read, shields, seen;
    GET    "/admin/list-withdraw-pix-approve-reject"     sees(PixWithdrawals), Read;
    GET    "/admin/pix-withdrawals-report"               sees(PixWithdrawals), Read;
    PATCH  "/admin/withdraw-pix-approve-reject"          decides(PixWithdrawals), Money;
    POST   "/admin/withdraw-pix/{id}/key"                decides(PixWithdrawals), Money;
    POST   "/admin/withdraw-pix/{id}/paid"               decides(PixWithdrawals), Money;
    POST   "/admin/withdraw-pix/{id}/receipt"            decides(PixWithdrawals), Upload;
    POST   "/admin/pix/statements"                       Holds(AdminPermissions), Upload;
    GET    "/admin/pix/statements"                       Holds(AdminPermissions), Read;
    GET    "/admin/pix/statements/{id}/lines"            Holds(AdminPermissions), Read;
    GET    "/files/{id}"                                 Holds(RegisteredUser), Read, unconfirmed;
    // transfers between members
    GET    "/search-user/{term}"                         Holds(RegisteredUser), Search;
    POST   "/transfer"                                   Holds(RegisteredUser), Money, outbound;
    GET    "/transfers-list"                             Holds(RegisteredUser), Read, seen;
    GET    "/admin/transfers-reports"                    sees(Transfers), Read;
    PATCH  "/admin/transfers-approve-reject"             decides(Transfers), Money;
    // treasury
    POST   "/admin/declared-holdings"                    Holds(AdminPermissions), Money;
    PATCH  "/admin/declared-holdings/approve-reject"     decides(Holdings), Money;
    // pools
    GET    "/pools"                                      Holds(RegisteredUser), Read, seen;
    POST   "/pools/join"                                 Holds(RegisteredUser), Money;
    GET    "/pools/mine"                                 Holds(RegisteredUser), Read, seen;
    GET    "/admin/pools"                                Holds(AdminPermissions), Read;
    POST   "/admin/pools"                                Holds(AdminPermissions), Write;
    PATCH  "/admin/pools/{id}"                           Holds(AdminPermissions), Write;
    GET    "/admin/pools/revenue"                        sees(PoolRevenue), Read;
    POST   "/admin/pools/{id}/revenue"                   Holds(AdminPermissions), Money;
    PATCH  "/admin/pools/revenue-approve-reject"         decides(PoolRevenue), Money;
    // sponsorship and what staff see of people's money
    GET    "/admin/balance-manager"                      Holds(AdminPermissions), Read;
    POST   "/admin/balance-manager/add-remove-balance"   Holds(AdminPermissions), Money;
    GET    "/admin/balance-manager/requests"             sees(Sponsorship), Read;
    PATCH  "/admin/balance-manager/approve-reject"       decides(Sponsorship), Money;
    GET    "/admin/balance-manager/get-user-licenses/{id}" Holds(AdminPermissions), Read;
    GET    "/admin/user-financial-summary/{id}"          Holds(AdminPermissions), Read;
    // the activity and the statement
    GET    "/activity"                                   Holds(RegisteredUser), Read, seen;
    GET    "/activity.csv"                               Holds(RegisteredUser), Upload;
    GET    "/activity.pdf"                               Holds(RegisteredUser), Upload;
    GET    "/statement"                                  Holds(RegisteredUser), Read, seen;
    GET    "/statement.csv"                              Holds(RegisteredUser), Upload;
    GET    "/statement.pdf"                              Holds(RegisteredUser), Upload;
    GET    "/statement/{transfer}"                       Holds(RegisteredUser), Read, seen;
    GET    "/yearly-statement"                           Holds(RegisteredUser), Read, seen;
    GET    "/yearly-statement.csv"                       Holds(RegisteredUser), Upload;
    GET    "/yearly-statement.pdf"                       Holds(RegisteredUser), Upload;
    // deposits over the chain
    POST   "/trader/create-deposit-intent"               Holds(RegisteredUser), Money, tells_missing;
    GET    "/trader/get-deposit-intent/{kind}/{value}"   Holds(RegisteredUser), Read;
    GET    "/trader/get-deposit-intent/{kind}/{value}/{planId}" Holds(RegisteredUser), Read;
    GET    "/deposit/terms"                              Holds(RegisteredUser), Read, seen;
    POST   "/deposit"                                    Holds(RegisteredUser), Money;
    POST   "/deposit/cancel"                             Holds(RegisteredUser), Write, inactive;
    GET    "/list-deposits"                              Holds(RegisteredUser), Read, seen;
    GET    "/finance/individual-crypto-deposits-list"    Holds(RegisteredUser), Read, seen;
    GET    "/admin/crypto-deposits-list"                 Holds(AdminPermissions), Read;
    GET    "/admin/all-crypto-deposits-list"             sees(CryptoDeposits), Read;
    GET    "/admin/crypto-deposits-report"               sees(CryptoDeposits), Read;
    PATCH  "/admin/crypto-deposits-approve-reject"       decides(CryptoDeposits), Money;
    POST   "/dev/faucet"                                 Holds(RegisteredUser), Money;
    // one's own wallet on the chain
    POST   "/web3/wallet"                                Holds(RegisteredUser), Write, inactive;
    GET    "/web3/readWalletBalances/{param}"            Holds(RegisteredUser), Read;
    GET    "/web3/historic_wallet/{param}"               Holds(RegisteredUser), Read;
    POST   "/web3/reveal-secret-phrase"                  Holds(RegisteredUser), Sensitive, inactive, outbound;
    POST   "/web3/transferToken/quote"                   Holds(RegisteredUser), Money, inactive;
    POST   "/web3/transferToken"                         Holds(RegisteredUser), Money, inactive, outbound;
    POST   "/web3/swapTokens/quote"                      Holds(RegisteredUser), Money;
    POST   "/web3/swapTokens"                            Holds(RegisteredUser), Money, outbound;
    // withdrawals over the chain
    GET    "/withdraw/terms"                             Holds(RegisteredUser), Read, seen;
    POST   "/withdraw/quote"                             Holds(RegisteredUser), Money, inactive;
    POST   "/withdraw"                                   Holds(RegisteredUser), Money, inactive, outbound;
    POST   "/withdraw/confirm"                           Holds(RegisteredUser), Money, inactive;
    POST   "/withdraw/resend"                            Holds(RegisteredUser), Sensitive, inactive;
    POST   "/withdraw/cancel"                            Holds(RegisteredUser), Money, inactive, shields;
    POST   "/withdraw/requote"                           Holds(RegisteredUser), Money, inactive;
    GET    "/withdraw/{id}"                              Holds(RegisteredUser), Read, seen;
    GET    "/list-withdraws"                             Holds(RegisteredUser), Read, shields, seen;
    GET    "/financial/individual-crypto-withdrawal-list" Holds(RegisteredUser), Read, seen;
    GET    "/admin/crypto-withdrawal-list"               sees(CryptoWithdrawals), Read;
    GET    "/admin/crypto-withdrawals-report"            sees(CryptoWithdrawals), Read;
    PATCH  "/admin/crypto-withdrawal-approve-reject"     decides(CryptoWithdrawals), Money;
    GET    "/admin/hot-wallet"                           Holds(AdminPermissions), Read;
    POST   "/admin/hot-wallet/resume"                    Holds(AdminPermissions), Money;
    // PYX: the pre-sale and the book
    GET    "/presale/rounds"                             Holds(RegisteredUser), Read, seen;
    GET    "/presale/holdings"                           Holds(RegisteredUser), Read, seen;
    POST   "/presale/buy"                                Holds(RegisteredUser), Money;
    POST   "/presale/claim"                              Holds(RegisteredUser), Money, inactive;
    GET    "/presale/price-history"                      Holds(RegisteredUser), Read, seen;
    GET    "/orders/book"                                Holds(RegisteredUser), Read, seen;
    GET    "/orders/trades"                              Holds(RegisteredUser), Read, seen;
    GET    "/orders"                                     Holds(RegisteredUser), Read, shields, seen;
    POST   "/orders"                                     Holds(RegisteredUser), Money;
    POST   "/orders/{id}/cancel"                         Holds(RegisteredUser), Money, inactive, shields;
    GET    "/admin/presale/rounds"                       sees(Rounds), Read;
    POST   "/admin/presale/rounds"                       Holds(AdminPermissions), Money;
    PATCH  "/admin/presale/rounds/{id}"                  Holds(AdminPermissions), Money;
    POST   "/admin/presale/rounds/{id}/agree"            decides(Rounds), Money;
    POST   "/admin/presale/rounds/{id}/withdraw"         decides(Rounds), Money;
    // ledger
    GET    "/admin/solvency"                             sees(Holdings), Read;
    GET    "/admin/coverage/{kind}/{id}"                 Holds(AdminPermissions), Read;
    GET    "/admin/approvals/preview"                    Holds(AdminPermissions), Read;
    POST   "/admin/approvals/take-back"                  Holds(AdminPermissions), Write;
    GET    "/admin/general-view"                         Holds(AdminDashboard), Read;
    GET    "/admin/waiting"                              Holds(AdminPermissions), Read;
    POST   "/admin/ledger/verify"                        Holds(AdminPermissions), Write, looks;
    // the rules that staff tune
    GET    "/admin/settings"                             sees(Settings), Read;
    GET    "/admin/settings/history"                     Holds(AdminDashboard), Read;
    POST   "/admin/settings/preview"                     Holds(AdminPermissions), Read, looks;
    POST   "/admin/settings"                             Holds(AdminPermissions), Write;
    POST   "/admin/settings/changes/{id}/agree"          decides(Settings), Write;
    POST   "/admin/settings/changes/{id}/withdraw"       decides(Settings), Write;
    GET    "/admin/plans"                                Holds(AdminDashboard), Read;
    POST   "/admin/plans"                                Holds(AdminPermissions), Write;
    PATCH  "/admin/plans/{id}"                           Holds(AdminPermissions), Write;
    // notifications
    GET    "/notifications"                              Holds(RegisteredUser), Read;
    GET    "/notifications/preferences"                  Holds(RegisteredUser), Read;
    PATCH  "/notifications/preferences"                  Holds(RegisteredUser), Write, inactive;
    GET    "/admin/notices"                              Holds(AdminPermissions), Read;
    GET    "/admin/notices/audience"                     Holds(AdminPermissions), Read;
    POST   "/admin/notices"                              Holds(AdminPermissions), Sensitive;
    GET    "/announcements/{announcementId}"             Holds(RegisteredUser), Read;
    PATCH  "/notifications/digest"                       Holds(RegisteredUser), Write, inactive;
    PATCH  "/notifications/quiet-hours"                  Holds(RegisteredUser), Write, inactive;
    POST   "/notifications/read-all"                     Holds(RegisteredUser), Write, inactive;
    GET    "/me/push"                                    Holds(RegisteredUser), Read;
    POST   "/me/push"                                    Holds(RegisteredUser), Write;
    DELETE "/me/push/{pushDeviceId}"                     Holds(RegisteredUser), Write, inactive, shields;
    POST   "/me/push/{pushDeviceId}/try"                 Holds(RegisteredUser), Sensitive;
    // support
    POST   "/support/open-ticket"                        Holds(RegisteredUser), Sensitive, inactive, unconfirmed;
    POST   "/support/upload-image/{ticketId}"            Holds(RegisteredUser), Upload, inactive;
    POST   "/support/ticket-response"                    Holds(RegisteredUser), Write, inactive, unconfirmed;
    GET    "/support/get-ticket-user/{id}"               Holds(RegisteredUser), Read, unconfirmed;
    GET    "/support/search-ticket-user/{ticketId}"      Holds(RegisteredUser), Read, unconfirmed;
    GET    "/support/list-tickets-user/"                 Holds(RegisteredUser), Read, unconfirmed;
    GET    "/support/subjects"                           Holds(RegisteredUser), Read;
    PATCH  "/support/edit-ticket-message"                Holds(RegisteredUser), Write, inactive, unconfirmed;
    GET    "/support/get-ticket-support-team/{id}"       decides(Tickets), Read;
    GET    "/support/search-ticket-support-team/{ticketId}" decides(Tickets), Read;
    GET    "/support/list-tickets-all/"                  sees(Tickets), Read;
    POST   "/support/close-ticket/{id}"                  Holds(RegisteredUser), Write, inactive, unconfirmed;
    POST   "/support/rate-ticket/{ticketId}"             Holds(RegisteredUser), Write, inactive, unconfirmed;
    POST   "/support/mail-transcript/{ticketId}"         Holds(RegisteredUser), Sensitive, inactive;
    DELETE "/support/delete-ticket/{id}"                 decides(Tickets), Write;
    POST   "/support/email-send"                         Holds(ResponseTicket), Sensitive;
    POST   "/support/take-ticket/{ticketId}"             decides(Tickets), Write;
    POST   "/support/hand-over-ticket/{ticketId}"        decides(Tickets), Write;
    POST   "/support/let-go-ticket/{ticketId}"           decides(Tickets), Write;
    POST   "/support/merge-ticket/{ticketId}"            decides(Tickets), Write;
    GET    "/support/agents"                             sees(Tickets), Read;
    GET    "/support/ticket-notes/{ticketId}"            decides(Tickets), Read;
    POST   "/support/ticket-notes/{ticketId}"            decides(Tickets), Write;
    GET    "/support/canned-replies"                     decides(Tickets), Read;
    POST   "/support/canned-replies"                     decides(Tickets), Write;
    POST   "/support/order-canned-replies"               decides(Tickets), Write;
    PATCH  "/support/canned-replies/{replyId}"           decides(Tickets), Write;
    POST   "/support/canned-replies/{replyId}/retire"    decides(Tickets), Write;
    GET    "/support/desk-report"                        sees(Tickets), Read;
    // content
    GET    "/content"                                    Holds(RegisteredUser), Read;
    GET    "/content/media/{token}"                      Public, Read;
    GET    "/content/{id}"                               Holds(RegisteredUser), Read;
    POST   "/content/{id}/progress"                      Holds(RegisteredUser), Write, inactive;
    GET    "/content/{id}/link"                          Holds(RegisteredUser), Read;
    GET    "/admin/content"                              Holds(AdminPermissions), Read;
    POST   "/admin/content"                              Holds(AdminPermissions), Write;
    GET    "/admin/content/{id}"                         Holds(AdminPermissions), Read;
    PATCH  "/admin/content/{id}"                         Holds(AdminPermissions), Write;
    DELETE "/admin/content/{id}"                         Holds(AdminPermissions), Write;
    POST   "/admin/content/{id}/file"                    Holds(AdminPermissions), Upload;
    DELETE "/admin/content/{id}/file"                    Holds(AdminPermissions), Write;
    POST   "/admin/content/{id}/cover"                   Holds(AdminPermissions), Upload;
    DELETE "/admin/content/{id}/cover"                   Holds(AdminPermissions), Write;
    GET    "/admin/content/{id}/link"                    Holds(AdminPermissions), Read;
};
