// Replaced by the build of console/. It signs in and shows who is signed in, which proves that the
// server lets the console in; it is long enough that each compressed copy is smaller than the file.
const root = document.getElementById('root');
const response = await fetch(new URL('auth/refresh', document.baseURI), { method: 'POST' });
if (response.ok) {
  const { accessToken } = await response.json();
  const headers = { Authorization: `Bearer ${accessToken}` };
  const user = await (await fetch(new URL('v5/user', document.baseURI), { headers })).json();
  root.textContent = `Signed in as ${user.email}`;
} else {
  const login = new URL('auth/login', document.baseURI);
  login.searchParams.set('returnUrl', location.href);
  location.replace(login);
}
