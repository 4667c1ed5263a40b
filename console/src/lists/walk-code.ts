import { pageMax, type Way, type WholeList, walkPath } from './walk.ts'

export const codeLanguages = ['shell', 'typescript', 'python'] as const
export type CodeLanguage = (typeof codeLanguages)[number]

/** A program that writes all objects of a list, each on a line, and fails if it could not. It reads the token from TOKEN. */
export const walkCode = (language: CodeLanguage, way: Way, list: WholeList, origin: string): string =>
  programs[language][way](list, origin)

const pathOf = (way: Way, list: WholeList) => decodeBrackets(walkPath(way, list))
/** Brackets may stand in an address, and are easier to read. */
const decodeBrackets = (path: string) => path.replaceAll('%5B', '[').replaceAll('%5D', ']')
const forShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const literal = (text: string) => JSON.stringify(text)

const shell: Record<Way, (list: WholeList, origin: string) => string> = {
  export: (list, origin) => `set -eu
# It fails if the response breaks off.
curl -sSfg -H "Authorization: Bearer $TOKEN" -H 'Accept: application/x-ndjson' \\
  ${forShell(origin + pathOf('export', list))}
`,
  ids: ({ listPath, filter = '' }, origin) => `set -eu
filter=${forShell(filter)}
last=''
while :; do
  if [ -n "$last" ]; then
    page_filter="\${filter:+($filter):}gt(id,$last)"
  else
    page_filter=$filter
  fi
  page=$(curl -sSfG -H "Authorization: Bearer $TOKEN" ${forShell(origin + listPath)} \\
    -d sort=id -d 'page[limit]=${pageMax}' \${page_filter:+--data-urlencode "filter=$page_filter"})
  last=$(printf '%s' "$page" | jq -r '.data[-1].id // empty')
  [ -n "$last" ] || break
  printf '%s' "$page" | jq -c '.data[]'
done
`,
  cursor: (list, origin) => `set -eu
url=${forShell(origin + pathOf('cursor', list))}
while [ -n "$url" ]; do
  page=$(curl -sSfg -H "Authorization: Bearer $TOKEN" "$url")
  printf '%s' "$page" | jq -c '.data[]'
  next=$(printf '%s' "$page" | jq -r 'if .data == [] then empty else .links.next // empty end')
  case $next in /*) url=${forShell(origin)}$next ;; *) url=$next ;; esac
done
`,
}

const typescriptPage = `async function read(address: string) {
  const response = await fetch(new URL(address, server), {
    headers: { authorization: \`Bearer \${process.env.TOKEN}\` },
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}
`

const typescript: typeof shell = {
  export: (list, origin) => `const response = await fetch(${literal(origin + pathOf('export', list))}, {
  headers: { authorization: \`Bearer \${process.env.TOKEN}\`, accept: 'application/x-ndjson' },
})
if (!response.ok || !response.body) throw new Error(await response.text())
const total = response.headers.get('sutler-total-count')
let count = 0
let rest = ''
// It throws if the response breaks off.
for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop() ?? ''
  count += lines.length
  for (const line of lines) console.log(line)
}
if (total !== null && count !== Number(total)) throw new Error(\`only \${count} of \${total}\`)
`,
  ids: ({ listPath, filter = '' }, origin) => `const server = ${literal(origin)}
const filter: string = ${literal(filter)}
let last: string | undefined
for (;;) {
  const query = new URLSearchParams({ sort: 'id', 'page[limit]': '${pageMax}' })
  if (last) query.set('filter', \`\${filter && \`(\${filter}):\`}gt(id,\${last})\`)
  else if (filter) query.set('filter', filter)
  const { data } = await read(\`${listPath}?\${query}\`)
  if (data.length === 0) break
  for (const one of data) console.log(JSON.stringify(one))
  last = data.at(-1).id
}

${typescriptPage}`,
  cursor: (list, origin) => `const server = ${literal(origin)}
let next: string | undefined = ${literal(pathOf('cursor', list))}
while (next) {
  const { data, links } = await read(next)
  for (const one of data) console.log(JSON.stringify(one))
  next = data.length > 0 ? links.next : undefined
}

${typescriptPage}`,
}

const pythonHead = (origin: string) => `import json, os
from urllib.parse import urlencode, urljoin
from urllib.request import Request, urlopen

server = ${literal(origin)}

def read(address, accept="application/json"):
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Accept": accept}
    return urlopen(Request(urljoin(server, address), headers=headers))
`

const python: typeof shell = {
  export: (list, origin) => `${pythonHead(origin)}
# It raises an exception if the response breaks off.
with read(${literal(pathOf('export', list))}, "application/x-ndjson") as response:
    total = response.headers["Sutler-Total-Count"]
    count = 0
    for line in response:
        print(json.dumps(json.loads(line)))
        count += 1
if total is not None and count != int(total):
    raise SystemExit(f"only {count} of {total}")
`,
  ids: ({ listPath, filter = '' }, origin) => `${pythonHead(origin)}
filter = ${literal(filter)}
last = None
while True:
    query = {"sort": "id", "page[limit]": "${pageMax}"}
    if last:
        query["filter"] = (f"({filter}):" if filter else "") + f"gt(id,{last})"
    elif filter:
        query["filter"] = filter
    data = json.load(read(${literal(`${listPath}?`)} + urlencode(query)))["data"]
    if not data:
        break
    for one in data:
        print(json.dumps(one))
    last = data[-1]["id"]
`,
  cursor: (list, origin) => `${pythonHead(origin)}
next_page = ${literal(pathOf('cursor', list))}
while next_page:
    page = json.load(read(next_page))
    for one in page["data"]:
        print(json.dumps(one))
    next_page = page["links"].get("next") if page["data"] else None
`,
}

const programs = { shell, typescript, python }
