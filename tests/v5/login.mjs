// Does with its tokens what the public command line of the v5 API does, through the same library:
// refreshes them, asks whose they are, and revokes them. `node login.mjs HOME BASE`, with the refresh
// token on standard input; prints what it has learned as JSON.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [home, base] = process.argv.slice(2);
const { OAuth2Client } = createRequire(path.join(home, 'package.json'))('google-auth-library');
const client = new OAuth2Client({
    clientId: 'daybook-cli',
    clientSecret: 'not looked at',
    endpoints: {
        tokenInfoUrl: `${base}/auth/userinfo`,
        oauth2TokenUrl: `${base}/auth/token`,
        oauth2RevokeUrl: `${base}/auth/revoke`,
    },
});
client.setCredentials({ refresh_token: fs.readFileSync(0, 'utf8').trim() });
const { token } = await client.getAccessToken();
const info = await client.getTokenInfo(token);
const revoked = await client.revokeToken(client.credentials.refresh_token);
console.log(JSON.stringify({
    token,
    email: info.email,
    scopes: info.scopes,
    seconds: (info.expiry_date - Date.now()) / 1000,
    revoked: revoked.status,
}));
