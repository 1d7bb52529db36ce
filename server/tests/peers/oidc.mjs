// An OpenID provider for the tests (npm `oidc-provider`): prints its port. Everybody is Eva, and agrees to everything.
// Usage: node oidc.mjs CLIENT SECRET REDIRECT
import { createServer } from 'node:http';
import * as oidc from 'oidc-provider';

const [client_id, client_secret, redirect] = process.argv.slice(2);
const { Prompt, base } = oidc.interactionPolicy;
const policy = base();
policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const provider = new oidc.Provider(`http://127.0.0.1:${port}`, {
    clients: [{ client_id, client_secret, redirect_uris: [redirect], grant_types: ['authorization_code'], response_types: ['code'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // The claims stand in the token itself, as Google has them.
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: 'Eva Prado' }),
    }),
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ['a key that only tests use'] },
    interactions: { policy, url: (_, { uid }) => `/interaction/${uid}` },
  });
  const serve = provider.callback();
  const agree = async (req, res) => {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    const said = { select_account: {} };
    if (prompt.name === 'login') said.login = { accountId: 'eva' };
    if (prompt.name === 'consent') {
      const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
      grant.addOIDCScope(params.scope);
      said.consent = { grantId: await grant.save() };
    }
    await provider.interactionFinished(req, res, said, { mergeWithLastSubmission: true });
  };
  server.on('request', (req, res) => {
    if (!req.url.startsWith('/interaction/')) return serve(req, res);
    agree(req, res).catch((error) => {
      console.error(error);
      res.writeHead(500).end();
    });
  });
  console.log(String(port));
});
