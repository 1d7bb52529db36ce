/** The figures and rules that the product's specification names: what of the code says each, and the tests that show it. Files from the root
 *  of the repository; of a test, its title or the name of its function. */
export interface Constant {
  what: string;
  stands: readonly (readonly [file: string, text: string])[];
  tried: readonly (readonly [file: string, title: string])[];
}

const LISTS = 'server/tests/api/lists.rs';
const SETTINGS = 'server/src/foundation/settings/mod.rs';
const LICENCES = 'server/src/licences/rules.rs';
const DEPOSITS = 'server/tests/api/chain/deposits.rs';
const WALLS = 'web/src/testing/walls.test.ts';
const RULES = 'web/src/app/rules.test.ts';
const SESSION = 'web/e2e/face/session.spec.ts';
const ACCOUNT = 'web/e2e/face/account.spec.ts';

export const CONSTANTS: readonly Constant[] = [
  // what passes by itself
  {
    what: 'a toast stays 3 s',
    stands: [['web/src/ui/Toaster.tsx', 'TOAST_MS = 3000;']],
    tried: [
      ['web/src/ui/Toaster.test.tsx', 'stays while it is pointed at, and leaves 3 s after'],
      [
        'web/e2e/face/shell.spec.ts',
        'a fact becomes a toast for 3 s, paused under the pointer, kept in the panel',
      ],
    ],
  },
  {
    what: 'a message that can be closed counts down from 4 s',
    stands: [['web/src/ui/Notice.tsx', 'NOTICE_MS = 4000;']],
    tried: [['web/src/ui/Notice.test.tsx', 'counts down from 4 s and closes itself']],
  },
  {
    what: 'a piece of the program has failed after 120 s',
    stands: [['web/src/app/loadPage.ts', 'CHUNK_TIMEOUT_MS = 120_000;']],
    tried: [[RULES, 'a chunk that does not come in time has failed']],
  },
  // lists
  {
    what: 'a list is asked for by page 1 of 10, by created_at, descending',
    stands: [
      ['web/src/ui/useTableQuery.ts', 'limit: defaultLimit = 10'],
      ['web/src/ui/useTableQuery.ts', "sortby: defaultSort = 'created_at'"],
      ['web/src/ui/useTableQuery.ts', "sortdirection: defaultDirection = 'desc'"],
    ],
    tried: [
      [WALLS, 'a list begins with ten lines, but for those that are read in one go'],
      [LISTS, 'whoever_names_no_limit_gets_the_products'],
      [LISTS, 'asking_for_the_documented_defaults_is_asking_for_nothing'],
    ],
  },
  {
    what: '100 of balances, withdrawals over the chain and all tickets, 50 of references',
    stands: [
      [WALLS, "'rooms/sponsorship/SponsorshipPage.tsx': 100"],
      [WALLS, "'rooms/withdrawals/PayoutQueuePage.tsx': 100"],
      [WALLS, "'rooms/support/TicketsListPage.tsx': 100"],
      [WALLS, "'rooms/affiliates/ReferencesPage.tsx': 50"],
    ],
    tried: [[LISTS, 'whoever_names_no_limit_gets_the_products']],
  },
  {
    what: 'a deposit is paid by usdt_bep20, and narrowed by how it was paid',
    stands: [
      ['server/src/wallet/intents/routes.rs', '#[serde(rename = "usdt_bep20")]'],
      ['server/src/wallet/deposits/routes.rs', '"usdt_bep20" => Ok(Coin::Usdt)'],
      ['server/src/wallet/deposits/routes.rs', '"busd_bep20" => Ok(Coin::Busd)'],
      ['server/src/reports/sales/store.rs', '"usdt_bep20" => Some(Self::UsdtBep20)'],
    ],
    tried: [['web/e2e/face/lists.spec.ts', 'sales: ten a page, newest first, and of one method alone']],
  },
  // people
  {
    what: 'a picture is a JPEG, PNG or GIF of at most 4 MB',
    stands: [
      ['web/src/rooms/identity/account/avatar.ts', 'AVATAR_BYTES = 4 * 1024 * 1024;'],
      ['web/src/rooms/people/people.ts', 'AVATAR_BYTES = 4 * 1024 * 1024;'],
      [
        'web/src/ui/FileDrop.tsx',
        "'image/png': ['.png'], 'image/jpeg': ['.jpg', '.jpeg'], 'image/gif': ['.gif']",
      ],
      ['server/src/foundation/files/mod.rs', 'Self::Avatar => &[Kind::Jpeg, Kind::Png, Kind::Gif]'],
      ['server/src/foundation/files/mod.rs', 'Self::Avatar | Self::ContentCover => 4 * MEGABYTE'],
    ],
    tried: [
      ['server/tests/api/files.rs', 'disguises_are_refused_and_leave_nothing_behind'],
      [
        'web/e2e/face/peopleChanged.spec.ts',
        'a picture is put and taken off; another kind is said at once, a refusal stands there',
      ],
    ],
  },
  {
    what: 'a username is 13 letters of the name and a number from 1 to 99999',
    stands: [
      ['server/src/identity/rules.rs', 'const NAME_PART: usize = 13;'],
      ['server/src/identity/rules.rs', 'number.clamp(1, 99_999)'],
      ['server/src/identity/registration.rs', 'random_range(1..=99_999)'],
    ],
    tried: [
      ['server/src/identity/rules.rs', 'usernames_of_the_specification'],
      ['server/src/identity/rules.rs', 'usernames_are_letters_then_a_number'],
    ],
  },
  {
    what: 'a new password is another than the one before',
    stands: [['actors/protocol/src/error_code.rs', '"password.same", 422']],
    tried: [
      [
        'server/tests/api/identity/recovery.rs',
        'a_forgotten_password_is_redefined_once_and_ends_every_session',
      ],
      ['server/tests/api/identity/recovery.rs', 'one_changes_ones_password_with_the_old_one_and_a_code'],
    ],
  },
  {
    what: 'a code that was mailed stands before account data, tokens that leave and the secret words',
    stands: [['actors/protocol/src/error_code.rs', '"code.missing", 422']],
    tried: [
      ['server/tests/api/identity/profile.rs', 'data_changes_with_a_code_and_the_language_without'],
      ['server/tests/api/wallets/orders.rs', 'a_token_is_sent_and_its_gas_is_ones_own'],
      ['server/tests/api/wallets/keys.rs', 'words_are_shown_to_their_owner_with_a_code_and_stay_nowhere'],
    ],
  },
  {
    what: 'terms and a postal address are asked for before an account is made',
    stands: [['actors/protocol/src/error_code.rs', '"terms.missing", 422']],
    tried: [
      ['server/tests/api/identity/registration.rs', 'every_refusal_changes_nothing'],
      [SESSION, 'registration: three steps, and what is missing is said where it is missing'],
    ],
  },
  {
    what: 'who is added, and a change of roles, is refused at the field',
    stands: [['server/src/approvals/grants/routes.rs', 'refused.about("roles")']],
    tried: [
      ['server/tests/api/identity/roles.rs', 'what_is_refused_changes_nothing'],
      ['server/tests/api/staff_people/by_one.rs', 'who_is_made_is_invited_and_placed_like_who_registers'],
    ],
  },
  // money
  {
    what: 'the interface takes 5 BRL a USD until it is told otherwise',
    stands: [
      [SETTINGS, 'default_rate: 50_000,'],
      ['web/src/rooms/pix/useRate.ts', 'config?.defaultRate'],
    ],
    tried: [
      [
        'web/e2e/face/pix.spec.ts',
        'until a rate has come it is the house’s own, and nothing is asked for by that',
      ],
      ['server/src/pix/rate.rs', 'known_services_are_understood'],
    ],
  },
  {
    what: 'a deposit over the chain costs 1 USDT and 4 %, and says how long is left to pay it',
    stands: [
      [SETTINGS, 'deposit_fee: Usdt::whole(1),'],
      [SETTINGS, 'deposit_fee_share: 4 * PERCENT,'],
      ['web/src/shared/payments/PayDeposit.tsx', '<Countdown until={deposit.expiresAt}'],
    ],
    tried: [
      [DEPOSITS, 'an_exact_payment_is_seen_confirmed_and_buys_its_licence'],
      [DEPOSITS, 'what_it_costs_is_said_as_it_is_taken'],
    ],
  },
  {
    what: 'how many blocks confirm a payment is a parameter',
    stands: [['server/src/config/chain.rs', 'long = "chain-confirmations"']],
    tried: [['server/src/wallet/deposits/rules.rs', 'confirmations_count_the_own_block']],
  },
  {
    what: 'what cannot be withdrawn is refused in the words of the specification',
    stands: [
      [
        'server/locales/en.json',
        '"withdrawal.address_invalid": "That is not a valid address for that coin!"',
      ],
      ['server/locales/en.json', '"balance.insufficient": "That amount is larger than your balance!"'],
      ['server/locales/pt.json', '"withdrawal.invalid": "Valor para retirada inválido."'],
    ],
    tried: [['server/tests/api/chain/withdrawals.rs', 'refusals_in_their_own_words']],
  },
  {
    what: 'a value of nothing is refused of sponsorship and contributions',
    stands: [['server/locales/en.json', '"amount.not_positive": "Enter a value greater than zero"']],
    tried: [
      ['server/tests/api/sponsorship.rs', 'sponsored_balance_buys_licences_and_leaves_no_other_way'],
      ['server/tests/api/licences.rs', 'refusals_change_nothing'],
      [
        'web/src/ui/MoneyInput.test.tsx',
        'nothing is no amount where one is asked for: said once the field is left',
      ],
    ],
  },
  // licences
  {
    what: 'a licence takes up to 5 times its value',
    stands: [[SETTINGS, 'allocation_factor: 5,']],
    tried: [[LICENCES, 'five_times_the_value_and_no_more']],
  },
  {
    what: 'yield leaves on days 5 and 20; what the pre-sale has sold, daily',
    stands: [[SETTINGS, 'yield_days: vec![5, 20],']],
    tried: [
      [LICENCES, 'yield_leaves_on_the_fifth_and_the_twentieth'],
      ['server/tests/api/licences.rs', 'yield_leaves_on_its_days_only'],
      ['server/tests/api/presale.rs', 'bought_pyx_is_claimed_day_by_day_and_the_last_day_pays_the_rest'],
    ],
  },
  {
    what: 'a minute between two manual operations',
    stands: [[SETTINGS, 'manual_wait_seconds: 60,']],
    tried: [['server/tests/api/manual.rs', 'a_minute_between_two_of_one_licence_and_of_one_person']],
  },
  {
    what: 'a gold trader is of the best tenth',
    stands: [['server/src/robots/days/rules.rs', 'pub fn gold(']],
    tried: [['server/src/robots/days/rules.rs', 'a_tenth_rounded_up_with_ties']],
  },
  // the network
  {
    what: '10 % of what direct referrals allocate; ten levels, of which 2 to 6 pay',
    stands: [
      [SETTINGS, 'level_bonus_1: 10 * PERCENT,'],
      [SETTINGS, 'level_bonus_6: PERCENT / 2,'],
      [SETTINGS, 'level_bonus_7: 0,'],
      [SETTINGS, 'pub const fn level_bonuses(&self) -> [i64; 10]'],
    ],
    tried: [['server/tests/api/network/closing.rs', 'a_random_network_is_the_references']],
  },
  {
    what: 'whom a bonus is paid to reads its transaction, and who paid it what came of it',
    stands: [['web/src/rooms/affiliates/BonusPayment.tsx', 'toast.success(data.trxHash']],
    tried: [
      [
        'server/tests/api/chain/graduations.rs',
        'one_person_pays_a_small_bonus_and_it_counts_when_the_chain_is_final',
      ],
      [
        'web/e2e/face/affiliatesRanks.spec.ts',
        'a rank bonus: to whom and how much before the press, one order, the second person, the hash',
      ],
    ],
  },
  // tickets
  {
    what: 'a ticket has a category, a reply words, and a message one file: the first',
    stands: [
      ['actors/protocol/src/error_code.rs', '"ticket.category_missing", 422'],
      ['actors/protocol/src/error_code.rs', '"message.empty", 422'],
    ],
    tried: [
      ['server/tests/api/files.rs', 'documents_pass_and_only_the_first_file_counts'],
      ['web/e2e/face/support.spec.ts', 'no ticket yet: what to do'],
    ],
  },
  // screens
  {
    what: 'one’s account has its tabs, and the screen of the trading bot is the same',
    stands: [
      [
        'web/src/rooms/identity/account/AccountPage.tsx',
        "TABS = ['general', 'security', 'other', 'social', 'notifications', 'privacy', 'crypto']",
      ],
    ],
    tried: [
      [ACCOUNT, 'the tabs of one’s account, under both addresses'],
      ['web/e2e/face/web3.spec.ts', 'the menu leads to the tab, and /trading-bot shows the same screen'],
    ],
  },
  {
    what: 'a whole-page screen has no menu',
    stands: [['web/src/app/publicPages.ts', "layout: 'full',"]],
    tried: [
      [RULES, 'no two pages share a path, and whole-page screens are the public ones'],
      ['web/e2e/face/look.spec.ts', 'a whole-page screen has no menu, for who has one elsewhere too'],
    ],
  },
  // what failed
  {
    what: 'an invalid link leads to a newer one or to support',
    stands: [
      ['web/src/rooms/identity/BadLink.tsx', '$.badLink'],
      ['web/src/i18n/pt/identity.json', '"badLink": "Procure um link mais recente ou fale com o suporte."'],
    ],
    tried: [[SESSION, 'bad links say what to do']],
  },
  {
    what: 'a bonus that could not be paid is said in the style of danger, one that was in that of success',
    stands: [
      ['web/src/ui/ConfirmDialog.tsx', '<Alert color="red" variant="light" role="alert" title={failed}>'],
      ['web/src/rooms/affiliates/BonusPayment.tsx', 'toast.success(data.trxHash'],
    ],
    tried: [
      [
        'web/e2e/face/affiliatesRanks.spec.ts',
        'a rank bonus: to whom and how much before the press, one order, the second person, the hash',
      ],
    ],
  },
  {
    what: 'a call that is refused rejects with the body of the answer, or with its message',
    stands: [['web/src/api/problem.ts', 'super(body.message || body.code ||']],
    tried: [
      [
        'web/src/api/client.test.ts',
        'a refused call rejects with what the server said: its message, its code and its fields',
      ],
      [SESSION, 'a refused sign-in says so, and how long to wait'],
    ],
  },
  // the browser
  {
    what: 'Portuguese and the dark skin, unless somebody chose otherwise; the server hears pt-br',
    stands: [
      ['web/src/i18n/locales.ts', "DEFAULT_LOCALE: Locale = 'pt';"],
      ['web/src/i18n/locales.ts', "pt: 'pt-br'"],
      ['web/src/app/App.tsx', 'defaultColorScheme="dark"'],
    ],
    tried: [
      [SESSION, 'the language of the address is taken and kept'],
      [SESSION, 'the skin is kept'],
    ],
  },
  {
    what: 'https, and a session that is looked for before anything is shown',
    stands: [['web/src/app/https.ts', "href.replace(/^http:/, 'https:')"]],
    tried: [
      [RULES, '%s goes to %s'],
      [SESSION, 'a refused refresh drops the session at once'],
      [SESSION, 'anonymous goes to the login, without permission to not-authorized, unknown to error-404'],
      [SESSION, 'signed in without the permission'],
      [SESSION, 'forgot-password is for who is not signed in'],
    ],
  },
  {
    what: 'the chat outside opens in a tab of its own',
    stands: [['web/src/rooms/content/WhatsappPage.tsx', 'target="_blank"']],
    tried: [
      [
        'web/e2e/face/content.spec.ts',
        'the external chat opens in a tab of its own; a house without one leads to the tickets',
      ],
    ],
  },
];

/** Closed sets of words, by the type that the document gives them. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  AccountStatus: ['active', 'inactive'],
  TicketStatus: ['open', 'closed'],
  TicketCategory: ['financial', 'account_data', 'other', 'affiliate_network', 'robot_trading'],
  Leg: ['left', 'right'],
  PaymentMethod: ['usdt_bep20'],
  DepositProduct: ['license', 'liquidity_for_pools'],
  BonusKind: ['level', 'residual', 'binary', 'direct_sale', 'indirect_sale'],
  ChainDepositStatus: [
    'waiting_for_buyer_funds',
    'funds_received_and_confirmed',
    'complete',
    'cancelled_timed_out',
    'pending',
    'pending_approval',
    'completed',
    'approved',
    'rejected',
    'canceled',
  ],
  PixDepositStatus: ['pending_approval', 'approved', 'rejected'],
  PixWithdrawalStatus: ['pending', 'approved', 'rejected'],
  ChainWithdrawalStatus: ['awaiting_email', 'pending', 'complete', 'canceled', 'approved', 'rejected'],
};
