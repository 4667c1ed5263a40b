import packageJson from '../package.json' with { type: 'json' }
import type { ServerState } from './kernel/http/front-page.ts'

const style = `
:root { color-scheme: light dark; --ink: #1d2329; --dim: #57606a; --paper: #fff; --raised: #f4f5f7; --line: #d9dde2;
  --link: #0b5cad; --good: #17692f; --bad: #a8231c }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --dim: #9aa4ae; --paper: #14171a; --raised: #1e2328;
  --line: #343b42; --link: #7ab7f5; --good: #6fcf8b; --bad: #ff8a80 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 4rem }
h1 { margin: 0; font-size: 2rem; line-height: 1.2 }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.1rem }
p { margin: .5rem 0 }
a { color: var(--link) }
.state { color: var(--dim) }
.ready { color: var(--good) }
.fault { color: var(--bad) }
dl { margin: 0; display: grid; grid-template-columns: 11rem 1fr; gap: .4rem 1rem }
dt, dd { margin: 0; min-width: 0 }
dd { color: var(--dim) }
pre { margin: .5rem 0; padding: .9rem 1rem; overflow-x: auto; background: var(--raised); border: 1px solid var(--line);
  border-radius: 6px; font: 14px/1.5 ui-monospace, monospace }
code { font-family: ui-monospace, monospace; font-size: .92em }
@media (max-width: 34rem) { main { padding-top: 2rem } dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .6rem } }
`

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5cad"/>' +
    '<path d="M4 6h8l-.8 6H4.8zM6 6a2 2 0 0 1 4 0" fill="none" stroke="#fff" stroke-width="1.4"/></svg>',
)}`

interface PageState extends ServerState {
  readonly hasConsole: boolean
  /** Nobody can sign in at the console, except with a key. */
  readonly needsColleague: boolean
}

const firstColleague = `
<h2>The first colleague</h2>
<p>Nobody has a password for the console yet. When it starts, the server prints a link to its operator, by
which the first colleague chooses one. Without the link, the operator makes another one:</p>
<pre>sutler colleague add ada@example.com --role store-admin</pre>
`

/** What a browser shows at `/`: what this is, whether it works, where everything is, and the first calls. */
export const sutlerPage = ({ url, fault, hasConsole, needsColleague }: PageState): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sutler</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<main>
<h1>Sutler</h1>
<p>An open, self-hosted commerce server. This is its address for clients:</p>
<pre>${escaped(url)}</pre>
<p class="state">Version ${packageJson.version} · ${
  fault === undefined
    ? '<strong class="ready">ready</strong>'
    : `<strong class="fault">not ready</strong>: ${escaped(fault)}`
}</p>
${needsColleague ? firstColleague : ''}
<h2>Where to look</h2>
<dl>
${hasConsole ? '<dt><a href="console">Console</a></dt><dd>everything of the store, to see and to change</dd>\n' : ''}<dt><a href="docs">API document</a></dt><dd>every operation, to read and to try</dd>
<dt><a href="openapi.json">openapi.json</a></dt><dd>the same for programs</dd>
<dt><a href="readyz">Readiness</a></dt><dd>whether the database responds and accepts writes</dd>
<dt><a href="healthz">Health</a></dt><dd>whether the process runs</dd>
</dl>

<h2>First calls</h2>
<p>The first start stores an application key in <code>first-key.env</code> of the data directory
(<code>./data</code>, or <code>/data</code> in a container). Get a token with it:</p>
<pre>. ./data/first-key.env
curl ${escaped(url)}/oauth/access_token \\
  -d grant_type=client_credentials \\
  -d client_id=$SUTLER_CLIENT_ID \\
  -d client_secret=$SUTLER_CLIENT_SECRET</pre>
<p>Send the <code>access_token</code> of the response with every other request:</p>
<pre>curl ${escaped(url)}/v2/settings \\
  -H "Authorization: Bearer $TOKEN"</pre>
<p>The README goes on from here to the first sale. If the key is lost, <code>sutler key add</code> makes another one.</p>
</main>
</body>
</html>
`

/** The address has the name that the client sent as the Host. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
