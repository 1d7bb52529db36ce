/** The calls that the product's specification names, each with what it names of them: who may call it, what it is asked with, what of its
 *  answer is named, and a test of the server's that makes it. The document and the table of routes are held against this. */
import type { Permission } from '@/api/ability';

export interface Call {
  /** Method and path below `/api`. */
  call: string;
  who: Permission | 'Public' | 'SignedIn';
  /** A file of `server/tests/api`. */
  tried: string;
  /** Names in the query, parted by blanks; so are those in the body and in the answer, where points lead inside. */
  query?: string;
  body?: string;
  answer?: string;
  /** The rows of a page, where the call is a list. */
  limit?: 10 | 50 | 100;
  /** Other parameters with the value that they have when left out. */
  defaults?: Readonly<Record<string, string | number>>;
}

const MEMBER = 'registered-user';
const ADMIN = 'admin_permissions';

/** What every list of deposits, withdrawals and transfers is narrowed by. */
const LIST = 'page limit sortby sortdirection search status function startDate endDate';

export const CALLS: readonly Call[] = [
  // sign-in and one's own account
  {
    call: 'POST /auth/login',
    who: 'Public',
    tried: 'identity/sign_in.rs',
    body: 'email password',
    answer: 'token',
  },
  {
    call: 'POST /auth/register/{upline}',
    who: 'Public',
    tried: 'identity/registration.rs',
    body: 'fullName email password password_confirmation terms address.country address.state address.city address.street address.number address.complement address.district address.postalCode',
    answer: 'token',
  },
  { call: 'POST /auth/logout', who: 'Public', tried: 'identity/sessions.rs' },
  {
    call: 'GET /me',
    who: 'SignedIn',
    tried: 'identity/profile.rs',
    answer:
      'user.roles.permissions.action user.roles.permissions.subject user.graduation user.nextGraduationInfo user.balance user.fullName user.username user.avatar user.email user.status user.mobileNumber user.sponsor user.binarySide user.registeredAt user.address',
  },
  {
    call: 'PATCH /me',
    who: MEMBER,
    tried: 'identity/profile.rs',
    body: 'fullName mobileNumber address.street securityCode',
  },
  { call: 'POST /me/upload-image', who: MEMBER, tried: 'identity/profile.rs', body: 'file' },
  { call: 'POST /forgot-password', who: 'Public', tried: 'identity/recovery.rs', body: 'email' },
  {
    call: 'POST /redefine-password/{token}',
    who: 'Public',
    tried: 'identity/recovery.rs',
    body: 'password password_confirmation',
  },
  { call: 'GET /verifySignature/{signature}', who: 'Public', tried: 'identity/recovery.rs' },
  { call: 'POST /email/verification-notification', who: 'SignedIn', tried: 'identity/registration.rs' },
  {
    call: 'GET /oauth/callback/token/{token}',
    who: 'Public',
    tried: 'identity/google.rs',
    answer: 'token',
  },
  { call: 'GET /affiliates/verify-upline/{upline}', who: 'Public', tried: 'identity/registration.rs' },
  { call: 'POST /setup-2fa', who: MEMBER, tried: 'identity/secrets.rs', body: 'method enable code' },

  // administration
  {
    call: 'GET /admin/all-crypto-deposits-list',
    who: ADMIN,
    tried: 'chain/deposits.rs',
    query: `${LIST} selectedProduct`,
    limit: 10,
  },
  {
    call: 'GET /admin/bonus-report',
    who: ADMIN,
    tried: 'network/pages.rs',
    query: 'startDate endDate bonusType limit',
    limit: 10,
  },
  { call: 'GET /admin/binary-lost-points-report', who: ADMIN, tried: 'network/pages.rs', limit: 10 },
  {
    call: 'GET /admin/users-list/',
    who: 'customer-service_list-users',
    tried: 'staff_people/seen.rs',
    query: 'page limit sortby sortdirection search status function',
    limit: 10,
  },
  {
    call: 'POST /admin/user',
    who: 'customer-service_user-edit',
    tried: 'staff_people/by_one.rs',
    body: 'fullName email mobileNumber roles',
    answer: 'username',
  },
  {
    call: 'POST /admin/sendemail/creation/user/{id}',
    who: 'customer-service_user-edit',
    tried: 'staff_people/by_one.rs',
  },
  {
    call: 'PATCH /admin/user/{id}/edit',
    who: 'customer-service_user-edit',
    tried: 'staff_people/by_one.rs',
    body: 'fullName email mobileNumber status reason',
  },
  { call: 'GET /admin/user/{id}', who: 'customer-service_user-view', tried: 'staff_people/by_one.rs' },
  {
    call: 'POST /admin/user/{id}/upload-image',
    who: 'customer-service_user-edit',
    tried: 'staff_people/by_one.rs',
    body: 'file',
  },
  {
    call: 'DELETE /admin/user/{id}/avatar',
    who: 'customer-service_user-edit',
    tried: 'staff_people/by_one.rs',
  },
  {
    call: 'GET /admin/balance-manager',
    who: ADMIN,
    tried: 'sponsorship.rs',
    query: 'page limit search',
    limit: 100,
  },
  {
    call: 'POST /admin/balance-manager/add-remove-balance',
    who: ADMIN,
    tried: 'sponsorship.rs',
    body: 'userId value operation',
  },
  { call: 'GET /admin/balance-manager/get-user-licenses/{id}', who: ADMIN, tried: 'sponsorship.rs' },
  {
    call: 'GET /admin/graduations',
    who: ADMIN,
    tried: 'network/ranks.rs',
    query: 'page limit search',
    limit: 10,
    answer: 'metrics.count',
  },
  {
    call: 'GET /admin/roles',
    who: ADMIN,
    tried: 'identity/roles.rs',
    answer: 'data._id data.permissions.action data.permissions.subject',
  },
  { call: 'GET /admin/general-view', who: 'admin_dashboard', tried: 'overview.rs' },
  { call: 'GET /admin/user-financial-summary/{id}', who: ADMIN, tried: 'figures.rs' },
  {
    // The id of the person, as it is named everywhere else.
    call: 'GET /admin/user-logs-list/{userId}',
    who: ADMIN,
    tried: 'staff_people/seen.rs',
    query: 'page limit sortby sortdirection startDate endDate category',
    limit: 10,
  },
  {
    call: 'GET /admin/graduation',
    who: ADMIN,
    tried: 'chain/graduations.rs',
    query: 'startDate endDate page limit isActive isBonusPaid',
    limit: 10,
    answer: 'data._id data.isActive data.isBonusPaid data.bonusPaymentHash metrics.count',
  },
  {
    call: 'POST /admin/graduation/pay-bonus',
    who: ADMIN,
    tried: 'chain/graduations.rs',
    body: 'graduationId',
    answer: 'data.trxHash message',
  },
  {
    call: 'GET /admin/list-deposits-pix-approve-reject',
    who: ADMIN,
    tried: 'pix_statements.rs',
    query: LIST,
    limit: 10,
  },
  {
    call: 'GET /admin/list-withdraw-pix-approve-reject',
    who: ADMIN,
    tried: 'pix_withdrawals.rs',
    query: LIST,
    limit: 10,
  },
  {
    call: 'PATCH /admin/deposits-pix-approve-reject',
    who: ADMIN,
    tried: 'approvals.rs',
    body: 'id status reason',
  },
  {
    call: 'PATCH /admin/withdraw-pix-approve-reject',
    who: ADMIN,
    tried: 'pix_withdrawals.rs',
    body: 'id status reason',
  },
  {
    call: 'GET /admin/crypto-withdrawal-list',
    who: ADMIN,
    tried: 'chain/pyx.rs',
    query: LIST,
    limit: 100,
  },
  {
    call: 'GET /admin/crypto-deposits-list',
    who: ADMIN,
    tried: 'chain/faucet.rs',
    query: `${LIST} selectedProduct selectedMethod`,
    limit: 10,
  },
  {
    call: 'PATCH /admin/crypto-withdrawal-approve-reject',
    who: ADMIN,
    tried: 'chain/payout.rs',
    body: 'id status reason',
  },
  {
    call: 'GET /admin/transfers-reports',
    who: ADMIN,
    tried: 'transfers.rs',
    query: LIST,
    limit: 10,
    answer: 'data.origin data.destination data.value',
  },

  // roles
  { call: 'PATCH /roles/{userId}/add-role', who: ADMIN, tried: 'identity/roles.rs', body: 'roles' },
  { call: 'POST /roles/{userId}/remove-role', who: ADMIN, tried: 'identity/roles.rs', body: 'roles' },

  // one's licences and results
  {
    call: 'GET /get-user-licenses',
    who: MEMBER,
    tried: 'licences.rs',
    limit: 10,
    answer:
      'data.value data.topup data.topupDate data.maximumReturn data.networkCeiling data.manualKey data.robotStatus data.dailyGainGoal data.allocationLimit',
  },
  { call: 'GET /dashboard/analytics/{param}', who: MEMBER, tried: 'analytics.rs' },
  { call: 'GET /dashboard/my-results', who: MEMBER, tried: 'figures.rs', answer: 'myResults' },
  { call: 'GET /dashboard/my-results/without-operation', who: MEMBER, tried: 'robots.rs' },

  // trading
  {
    call: 'GET /trader/orders-history/{robotId}',
    who: MEMBER,
    tried: 'robots.rs',
    query: 'page limit',
    limit: 10,
  },
  { call: 'POST /trader/allocate-value-in-trading', who: MEMBER, tried: 'licences.rs', body: 'value' },
  { call: 'POST /trader/relocate-value', who: MEMBER, tried: 'licences.rs', body: 'value' },
  { call: 'POST /trader/robot-withdraw', who: MEMBER, tried: 'licences.rs', body: 'value' },
  {
    call: 'PATCH /trader/config-robot-trader',
    who: MEMBER,
    tried: 'licences.rs',
    body: 'dailyGainGoal manualKey',
  },
  {
    call: 'GET /trader/search-config-robot-trader',
    who: MEMBER,
    tried: 'licences.rs',
    answer: 'dailyGainGoal manualKey',
  },
  {
    call: 'POST /trader/create-deposit-intent',
    who: MEMBER,
    tried: 'chain/deposits.rs',
    body: 'licenseValue product isHighRisk',
    answer: 'expiresAt',
  },
  // `license` or `liquidity_for_pools`; with the plan behind it, where there is one: below.
  { call: 'GET /trader/get-deposit-intent/{kind}/{value}', who: MEMBER, tried: 'chain/deposits.rs' },

  // money in and out
  { call: 'POST /withdraw', who: MEMBER, tried: 'chain/withdrawals.rs', body: 'coin address value' },
  { call: 'POST /deposit', who: MEMBER, tried: 'chain/deposits.rs', body: 'coin value' },
  { call: 'POST /deposit-pix', who: MEMBER, tried: 'pix.rs', body: 'usdt brl' },
  {
    call: 'GET /list-deposits',
    who: MEMBER,
    tried: 'chain/desk.rs',
    query: `${LIST} selectedProduct`,
    limit: 10,
    answer: 'data.value data.coin data.received data.address data.transaction data.created_at data.status',
  },
  {
    call: 'GET /list-deposits-pix',
    who: MEMBER,
    tried: 'pix_statements.rs',
    query: LIST,
    limit: 10,
    answer: 'data.usdt data.brl data.proof data.status',
  },
  {
    call: 'GET /list-withdraws',
    who: MEMBER,
    tried: 'chain/withdrawals.rs',
    query: LIST,
    limit: 10,
    answer: 'data.value data.fee data.net data.coin data.address data.status',
  },
  {
    call: 'GET /list-withdraws-pix',
    who: MEMBER,
    tried: 'pix_withdrawals.rs',
    query: LIST,
    limit: 10,
    answer: 'data.value data.fee data.net data.status',
  },
  { call: 'GET /search-user/{term}', who: MEMBER, tried: 'transfers.rs' },
  { call: 'POST /transfer', who: MEMBER, tried: 'transfers.rs', body: 'value securityCode' },
  {
    call: 'GET /transfers-list',
    who: MEMBER,
    tried: 'transfers.rs',
    query: LIST,
    limit: 10,
    answer: 'data.origin data.destination data.value',
  },
  {
    call: 'GET /finance/individual-crypto-deposits-list',
    who: MEMBER,
    tried: 'chain/deposits.rs',
    query: `${LIST} selectedProduct`,
    limit: 10,
  },
  {
    call: 'GET /financial/individual-crypto-withdrawal-list',
    who: MEMBER,
    tried: 'chain/withdrawals.rs',
    query: LIST,
    limit: 10,
  },

  // the wallet on the platform
  { call: 'GET /web3/readWalletBalances/{param}', who: MEMBER, tried: 'wallets/moves.rs' },
  { call: 'POST /web3/transferToken', who: MEMBER, tried: 'wallets/orders.rs', body: 'securityCode value' },
  { call: 'POST /web3/swapTokens', who: MEMBER, tried: 'wallets/orders.rs', body: 'value' },
  { call: 'GET /web3/historic_wallet/{param}', who: MEMBER, tried: 'files_of_lists.rs', limit: 10 },
  { call: 'POST /web3/reveal-secret-phrase', who: MEMBER, tried: 'wallets/keys.rs', body: 'securityCode' },

  // the network
  {
    call: 'GET /affiliates/bonus-log',
    who: MEMBER,
    tried: 'network/fairness.rs',
    query: 'startDate endDate bonusType limit',
    limit: 10,
  },
  { call: 'GET /affiliates/my-upline', who: MEMBER, tried: 'affiliates.rs' },
  { call: 'GET /affiliates/diagram-binary-tree/{param}', who: MEMBER, tried: 'network/pages.rs' },
  {
    call: 'PATCH /affiliates/binary-tree/save-selected-leg',
    who: MEMBER,
    tried: 'affiliates.rs',
    body: 'selectedLeg',
  },
  {
    call: 'GET /affiliates/reference-list',
    who: MEMBER,
    tried: 'network/pages.rs',
    query: 'level limit affiliateId page sortby sortdirection search status',
    limit: 50,
    defaults: { level: 1 },
  },
  { call: 'GET /affiliates/dashboard', who: MEMBER, tried: 'network/tonight.rs' },

  // tickets
  {
    call: 'GET /support/get-ticket-support-team/{id}',
    who: 'customer-service_response-ticket',
    tried: 'support.rs',
    answer: 'description image messages',
  },
  {
    call: 'GET /support/get-ticket-user/{id}',
    who: MEMBER,
    tried: 'support.rs',
    answer: 'description image messages',
  },
  {
    call: 'POST /support/open-ticket',
    who: MEMBER,
    tried: 'support.rs',
    body: 'subject description category',
  },
  { call: 'POST /support/upload-image/{ticketId}', who: MEMBER, tried: 'support.rs', body: 'file' },
  { call: 'POST /support/ticket-response', who: MEMBER, tried: 'support.rs', body: 'ticketId text' },
  {
    call: 'GET /support/list-tickets-user/',
    who: MEMBER,
    tried: 'support.rs',
    limit: 10,
    answer: 'data._id data.subject data.category data.created_at data.closedAt data.status',
  },
  {
    call: 'GET /support/list-tickets-all/',
    who: 'customer-service_list-tickets',
    tried: 'support.rs',
    query: 'limit category',
    limit: 100,
  },
  {
    call: 'POST /support/email-send',
    who: 'customer-service_response-ticket',
    tried: 'support.rs',
    body: 'ticketId text',
  },
  {
    call: 'DELETE /support/delete-ticket/{id}',
    who: 'customer-service_response-ticket',
    tried: 'support.rs',
  },
  { call: 'PATCH /support/edit-ticket-message', who: MEMBER, tried: 'support.rs', body: 'messageId text' },
];

/** What is named without a path of its own (a supplied one), or as a longer form of another. */
export const SUPPLIED: readonly Call[] = [
  {
    call: 'POST /new-password/{token}/{email}',
    who: 'Public',
    tried: 'identity/recovery.rs',
    body: 'password password_confirmation',
    answer: 'token users',
  },
  { call: 'GET /email/verify/{id}/{token}', who: 'Public', tried: 'identity/registration.rs' },
  {
    call: 'GET /trader/get-deposit-intent/{kind}/{value}/{planId}',
    who: MEMBER,
    tried: 'chain/deposits.rs',
    answer: 'open.expiresAt fee feePercent total minutes',
  },
];
