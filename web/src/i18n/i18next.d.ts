import type account from './pt/account.json';
import type affiliates from './pt/affiliates.json';
import type analytics from './pt/analytics.json';
import type announcements from './pt/announcements.json';
import type approvals from './pt/approvals.json';
import type audit from './pt/audit.json';
import type common from './pt/common.json';
import type compliance from './pt/compliance.json';
import type content from './pt/content.json';
import type dashboard from './pt/dashboard.json';
import type desk from './pt/desk.json';
import type exchange from './pt/exchange.json';
import type identity from './pt/identity.json';
import type legal from './pt/legal.json';
import type licences from './pt/licences.json';
import type lists from './pt/lists.json';
import type login from './pt/login.json';
import type logs from './pt/logs.json';
import type notifications from './pt/notifications.json';
import type overview from './pt/overview.json';
import type people from './pt/people.json';
import type permissions from './pt/permissions.json';
import type pix from './pt/pix.json';
import type pools from './pt/pools.json';
import type robots from './pt/robots.json';
import type rules from './pt/rules.json';
import type shell from './pt/shell.json';
import type sponsorship from './pt/sponsorship.json';
import type statement from './pt/statement.json';
import type support from './pt/support.json';
import type transfers from './pt/transfers.json';
import type wallet from './pt/wallet.json';
import type web3 from './pt/web3.json';
import type withdrawals from './pt/withdrawals.json';

/** Portuguese is the type of all three languages; a new room adds its file here. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    strictKeyChecks: true;
    enableSelector: true;
    resources: {
      account: typeof account;
      affiliates: typeof affiliates;
      analytics: typeof analytics;
      announcements: typeof announcements;
      approvals: typeof approvals;
      audit: typeof audit;
      common: typeof common;
      compliance: typeof compliance;
      content: typeof content;
      dashboard: typeof dashboard;
      desk: typeof desk;
      exchange: typeof exchange;
      identity: typeof identity;
      notifications: typeof notifications;
      overview: typeof overview;
      people: typeof people;
      permissions: typeof permissions;
      pix: typeof pix;
      legal: typeof legal;
      licences: typeof licences;
      lists: typeof lists;
      login: typeof login;
      logs: typeof logs;
      robots: typeof robots;
      rules: typeof rules;
      shell: typeof shell;
      pools: typeof pools;
      sponsorship: typeof sponsorship;
      statement: typeof statement;
      support: typeof support;
      transfers: typeof transfers;
      wallet: typeof wallet;
      web3: typeof web3;
      withdrawals: typeof withdrawals;
    };
  }
}
