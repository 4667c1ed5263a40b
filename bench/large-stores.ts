import { fork } from 'node:child_process'
import autocannon from 'autocannon'
import type { Database } from '../server/kernel/storage/database.ts'
import { type Bare, runBare } from './bare.ts'
import budgets from './budgets.json' with { type: 'json' }
import { orderScenarios } from './order-scenarios.ts'
import { startOwnServer } from './own-server.ts'
import { productScenarios } from './product-scenarios.ts'
import { accountScenarios, entryScenarios, type Scenario } from './scenarios.ts'
import { entriesOf, seed } from './seed.ts'
import { seedCarts } from './seed-carts.ts'
import { seedProducts } from './seed-products.ts'
import { seedPublished } from './seed-published.ts'
import { shopScenarios } from './shop-scenarios.ts'

/**
 * `node bench/large-stores.ts [rows seconds [groups]]`: lists, walks and filters of a large store beside bare
 * node:http, in the same run, on the same rows. Only the ratios count, because the machine's own speed cancels out.
 * Fails if a scenario costs more than bench/budgets.json allows. `groups` selects scenarios: accounts, products,
 * orders, shop.
 */
const [rows = 1_000_000, seconds = 4] = process.argv.slice(2, 4).map(Number)
const only = process.argv.slice(4)
const rounds = 3
/** The maximum number of published products, because copying their search rows takes long. */
const publishedMax = 100_000
/** The lists of orders have no use for more carts. */
const cartsMax = 1000
const connections = 32
/** How many of a scenario's paths were requested. */
const nextPaths = new WeakMap<readonly string[], number>()

const server = await startOwnServer()
const children: ReturnType<typeof fork>[] = []
try {
  const { url, database, token } = server
  const groups: Record<string, () => Promise<readonly Scenario[]>> = {
    accounts: async () => {
      const world = await seed(database, url, token, rows)
      return [...accountScenarios(world), ...entryScenarios(world)]
    },
    products: async () => productScenarios(await seedProducts(server, rows)),
    orders: async () => orderScenarios(await seedCarts(server, rows, cartsMax)),
    shop: async () => shopScenarios(await seedPublished(server, Math.min(rows, publishedMax))),
  }
  const named = Object.keys(groups).filter((name) => only.includes(name))
  const scenarios: Scenario[] = []
  for (const [name, prepare] of Object.entries(groups)) {
    if (named.length === 0 || named.includes(name)) scenarios.push(...(await prepare()))
  }
  const statements = Object.fromEntries(scenarios.flatMap(({ name, bare }) => (bare ? [[name, bare]] : [])))
  const bareUrl = `http://127.0.0.1:${await startBare(statements)}`

  const results = new Map<string, Measurement>()
  for (const scenario of scenarios) {
    const measured = await measure(scenario, url, bareUrl, token, database)
    results.set(scenario.name, measured)
    process.stdout.write(`${scenario.name}: ${JSON.stringify(measured)}\n`)
  }
  report(scenarios, results)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await new Promise((done) => setTimeout(done, 1000))
  await server.stop()
}

interface Measurement {
  /** Requests (or statements) per second: the median of the rounds. */
  readonly server: number | undefined
  readonly bare: number | undefined
  readonly sql: number | undefined
  readonly p99Ms: number | undefined
}

function startBare(statements: Readonly<Record<string, Bare>>): Promise<number> {
  const child = fork(new URL('./bare.ts', import.meta.url))
  children.push(child)
  child.send({ databaseUrl: server.databaseUrl, statements })
  return new Promise((done) => child.once('message', (port) => done(Number(port))))
}

/** Rounds alternate, so that a busy moment of the machine affects all scenarios alike. */
async function measure(scenario: Scenario, url: string, bareUrl: string, token: string, database: Database) {
  const [server, bare, sql, p99]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let round = 0; round < rounds; round++) {
    if (!scenario.bareOnly) {
      const ours = await load(url + scenario.path, scenario, token)
      server.push(ours.requests.average)
      p99.push(ours.latency.p99)
    }
    if (!scenario.bare) continue
    bare.push((await load(`${bareUrl}/${scenario.name}`, { name: scenario.name }, token)).requests.average)
    sql.push(await statementsPerSecond(database, scenario.bare))
  }
  return { server: median(server), bare: median(bare), sql: median(sql), p99Ms: median(p99) } as Measurement
}

async function load(url: string, scenario: Pick<Scenario, 'name' | 'paths'>, token: string) {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${token}` },
    ...(scenario.paths && { requests: [{ setupRequest: nextRequestOf(scenario.paths) }] }),
  })
  if (result.non2xx || result.errors) {
    throw new Error(
      `${scenario.name} at ${url}: ${result.non2xx} refused, ${result.errors} failed: ${JSON.stringify(result.statusCodeStats)}`,
    )
  }
  return result
}

/** All connections and rounds share one pass through the paths. */
function nextRequestOf(paths: readonly string[]) {
  return (request: autocannon.Request) => {
    const n = nextPaths.get(paths) ?? 0
    nextPaths.set(paths, n + 1)
    return { ...request, path: paths[n % paths.length] as string }
  }
}

async function statementsPerSecond(database: Database, bare: Bare): Promise<number> {
  const until = performance.now() + seconds * 500
  let count = 0
  const worker = async () => {
    while (performance.now() < until) {
      await runBare(database, bare)
      count++
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  return (count * 1000) / (performance.now() - began)
}

function median(values: number[]): number | undefined {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function report(scenarios: readonly Scenario[], results: ReadonlyMap<string, Measurement>): void {
  const whole = (value: number | undefined) =>
    value === undefined ? '–' : Math.round(value).toLocaleString('en')
  const ratio = (a: number | undefined, b: number | undefined) => (a && b ? (a / b).toFixed(2) : '–')
  const over: string[] = []
  const lines = scenarios.map(({ name, compareWith, compareBare }) => {
    const { server, bare, sql, p99Ms } = results.get(name) as Measurement
    const other = compareWith ? results.get(compareWith) : undefined
    const [fast, slow] = compareBare ? [other?.bare, bare] : [other?.server, server]
    const slower = fast && slow ? fast / slow : undefined
    const budget = (budgets as Record<string, { ofBare?: number; slowerMax?: number }>)[name]
    if (budget?.ofBare && bare && server && server / bare < budget.ofBare)
      over.push(`${name}: below ${budget.ofBare} of bare`)
    if (budget?.slowerMax && slower && slower > budget.slowerMax)
      over.push(`${name}: over ${budget.slowerMax} x ${compareWith}`)
    const compared = slower ? `${slower.toFixed(2)} x ${compareWith}` : ''
    return `| ${name} | ${whole(server)} | ${whole(bare)} | ${whole(sql)} | ${ratio(server, bare)} | ${compared} | ${p99Ms ?? '–'} |`
  })
  const table = [
    `${rows.toLocaleString('en')} accounts, as many products, ${entriesOf(rows).toLocaleString('en')} entries, ${connections} connections, medians of ${rounds} rounds of ${seconds} s, one server process, embedded PostgreSQL.`,
    '',
    '| scenario | requests/s | bare node:http | SQL alone | of bare | time against | p99 ms |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
  process.stdout.write(`\n${table}\n`)
  if (over.length) {
    process.stdout.write(`Over budget:\n${over.join('\n')}\n`)
    process.exitCode = 1
  }
}
