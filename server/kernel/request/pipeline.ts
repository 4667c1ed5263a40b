import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { hangUpSignal } from '../../platform/sockets/connections.ts'
import { mustBeWithinRate } from '../attempts/rates.ts'
import { countRequest } from '../attempts/request-limits.ts'
import { isReport, weightOf } from '../attempts/request-weight.ts'
import { authorize } from '../auth/access.ts'
import { actsAsSeller, isSeller, type Principal } from '../auth/principal.ts'
import { parseRequestRates, type RequestRates } from '../auth/request-rates.ts'
import { bearerToken } from '../auth/tokens.ts'
import { isRepeatable, type Operation, rightFor } from '../declare/operation.ts'
import { notFound, Problem } from '../errors.ts'
import { notModified } from '../http/conditional.ts'
import { lineFormatOf } from '../http/prefer.ts'
import { addressOf } from '../http/reading/address.ts'
import { bodyText, parseBody } from '../http/reading/body.ts'
import { type BodyLimits, limitsOfShoppers, usualLimits } from '../http/reading/body-limits.ts'
import { unpack } from '../http/reading/unpack.ts'
import { uploadOf } from '../http/reading/upload.ts'
import { isId } from '../ids.ts'
import { Memory } from '../memory.ts'
import type { Answer } from '../shape/answer.ts'
import { authorOf, Store } from '../storage/store.ts'
import { continued, type DatabaseTransaction } from '../storage/transaction.ts'
import { currentTimings } from '../traces/scopes.ts'
import { Ctx, type Instance, type KeyedRequest } from '../work/context.ts'
import { leaseMsOf } from '../work/outside-calls.ts'
import { perInstance } from '../work/per-instance.ts'
import { dryRun, wantsDryRun } from './dry-runs.ts'
import { idempotencyKey, once, onceAcrossCalls } from './idempotency.ts'
import { nameHolder } from './name-holder.ts'
import { withTimings } from './observe.ts'
import { lengthen, resourceToRepeat } from './stored-answers.ts'
import { withTimeout } from './with-timeout.ts'
import { WriteQueues } from './write-queues.ts'

/** One request on its way. */
interface Passage {
  readonly instance: Instance
  readonly operation: Operation
  readonly request: FastifyRequest
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void
  who: Principal
  /** Undefined if no store is known. */
  rates: RequestRates | undefined
  /** The requests a second that are reserved for the caller's key. */
  reservedRate: number
  /** The body as text; '' where it is not read. */
  text: string
  body: unknown
  upload: Readable | undefined
  isDryRun: boolean
  answer: Answer | undefined
}

type PipelineStep = (passage: Passage) => Promise<void> | void

/**
 * The steps of a request, from top to bottom, each with the operations it applies to. The order is the security design.
 */
const steps: readonly (readonly [PipelineStep, ...Operation['access'][]])[] = [
  [authenticate, 'read', 'write'],
  [findStore, 'open'],
  [limitRate, 'read', 'write', 'open'],
  [mayCall, 'read', 'write'],
  [countWrite, 'write'],
  [refuseKey, 'write'],
  [admitDryRun, 'write', 'open'],
  [readBody, 'read', 'write', 'open'],
  [run, 'read', 'write', 'open'],
  [endWithKey, 'read', 'write'],
  [reportWrite, 'write', 'open'],
  [respondNotModified, 'read'],
  [showTimings, 'read', 'write'],
]

const plans: Record<Operation['access'], readonly PipelineStep[]> = {
  read: planOf('read'),
  write: planOf('write'),
  open: planOf('open'),
}

function planOf(access: Operation['access']): readonly PipelineStep[] {
  return steps.filter(([, ...accesses]) => accesses.includes(access)).map(([step]) => step)
}

const nobody: Principal = {
  storeId: '00000000-0000-0000-0000-000000000000',
  kind: 'nobody',
  grant: 'nobody',
  keyId: '',
  actor: 'nobody',
  caller: 'nobody',
}

/** Responds to a request; refusals are thrown as Problems. Both have the headers that it sets. */
export async function handle(
  instance: Instance,
  operation: Operation,
  request: FastifyRequest,
  setHeaders: Passage['setHeaders'],
): Promise<Answer> {
  const passage: Passage = {
    instance,
    operation,
    request,
    setHeaders,
    who: nobody,
    rates: undefined,
    reservedRate: 0,
    text: '',
    body: undefined,
    upload: undefined,
    isDryRun: false,
    answer: undefined,
  }
  // Most steps end at once, and to await each of them would take a turn of its own.
  for (const step of plans[operation.access]) {
    const going = step(passage)
    if (going) await going
  }
  return passage.answer as Answer
}

async function authenticate(passage: Passage): Promise<void> {
  const { instance, request } = passage
  const { who, key } = await instance.tokens.verify(bearerToken(request.headers.authorization))
  passage.who = who
  passage.rates = key.storeRates ?? instance.requestRates
  passage.reservedRate = key.reservedRate
  if (signsIn(passage)) return
  for (const { header, kind, verify } of instance.shopperTokens) {
    const token = request.headers[header]
    if (typeof token !== 'string' || token === '') continue
    const shopper = await verify(instance, who.storeId, token)
    passage.who = { ...who, kind, actor: shopper.id, caller: shopper.id, shopper }
  }
}

const actionOf = ({ of }: Operation) => (of.is === 'action' ? of.action : undefined)
const signsIn = ({ operation }: Passage) => actionOf(operation)?.signsIn

function mayCall({ instance, operation, who }: Passage): void {
  const right = rightFor(operation)
  if (right === 'open') return
  authorize(instance, who, operation.area, right)
  // A shopper's token beside that of a person only takes rights away.
  if (who.sessionId && who.shopper) authorize(instance, { kind: who.grant }, operation.area, right)
}

/** Anyone may get a shopper's token. Counted before the body is read. */
function countWrite({ instance, request: { ip }, who }: Passage): void {
  if (isSeller(who)) return
  mustBeWithinRate({ instance, who, clock: instance.clock, clientAddress: ip }, 'shopperWrites', who.storeId)
}

/** An open operation has no authenticated caller; the path names the store. */
async function findStore(passage: Passage): Promise<void> {
  const { instance, operation, request } = passage
  const parameter = actionOf(operation)?.storeIn
  if (parameter === undefined) return
  const named = (request.params as Record<string, string>)[parameter]?.toLowerCase() ?? ''
  const store = await knownStore(instance, named)
  if (!store) throw notFound('store', named)
  passage.who = { ...nobody, storeId: named }
  passage.rates = store.rates ?? instance.requestRates
}

/** The store, with its own rates if it has any. */
type KnownStore = Pick<Passage, 'rates'>

/** Its rates may change. If a store is deleted, its objects are not found either. */
const storeRecheckAfterMs = 800
const storeCaches = perInstance(
  ({ clock }) => new Memory<string, KnownStore>(10_000, { age: { maxMs: storeRecheckAfterMs, clock } }),
)

async function knownStore(instance: Instance, id: string): Promise<KnownStore | undefined> {
  if (!isId(id)) return undefined
  const cache = storeCaches(instance)
  const known = cache.get(id)
  if (known) return known
  const text = 'SELECT request_rates FROM stores WHERE id = $1'
  const [row] = await instance.homes.of(id).quick({ text, values: [id] })
  const store = row && { rates: parseRequestRates(row[0] ?? '') }
  if (store) cache.set(id, store)
  return store
}

/** Counted before anything else is done for the request, and only where an operator has set rates. */
function limitRate({ instance, operation, request, setHeaders, who, rates, reservedRate }: Passage): void {
  if (!rates) return
  const { url, headers, ip: clientAddress } = request
  const counts = { weight: weightOf(operation, url, headers), isReport: isReport(operation) }
  countRequest(instance, { ...counts, who, rates, reservedRate, clientAddress }, setHeaders)
}

async function readBody(passage: Passage): Promise<void> {
  const { operation, request } = passage
  if (operation.method === 'GET') return
  const { rawBody: raw, upload, data } = actionOf(operation) ?? {}
  if (upload) {
    passage.upload = uploadOf(request.raw, upload.bytesMax, upload.form !== undefined)
    return
  }
  // Clients send any body with a DELETE; the server reads it only where it says what to remove.
  if (operation.method === 'DELETE' && !raw && !data && operation.of.is !== 'relationship') return
  const limits = limitsFor(passage)
  const { 'content-encoding': coding, 'content-type': type } = request.headers
  const bytes = await unpack(request.body as Buffer | undefined, coding, limits.bytesMax)
  passage.text = bodyText(bytes, limits)
  passage.body = raw ? passage.text : parseBody(passage.text, type, limits)
}

/** What reading costs is bounded closely for those who need no secret to call. */
const limitsFor = ({ operation, who }: Passage): BodyLimits =>
  operation.access === 'open' || !isSeller(who) ? limitsOfShoppers : usualLimits

/** Refuses the key, so that no client believes that a retry is safe. Sign-ins ignore it. */
function refuseKey(passage: Passage): void {
  const { operation, request } = passage
  if (request.headers['idempotency-key'] === undefined || signsIn(passage) || isRepeatable(operation)) return
  throw new Problem(
    'bad_request',
    'This operation does not support Idempotency-Key; send the request without it.',
    {
      source: 'Idempotency-Key',
    },
  )
}

function admitDryRun(passage: Passage): void {
  passage.isDryRun = wantsDryRun(passage.operation, passage.request.headers)
}

async function run(passage: Passage): Promise<void> {
  passage.answer = await respond(passage).catch((error: unknown) => nameHolder(passage, error))
}

function respond(passage: Passage): Promise<Answer> {
  const { operation, request } = passage
  if (passage.isDryRun) return inQueue(passage, () => dryRun(operation, contextOf(passage), callOf(passage)))
  const key = isRepeatable(operation) ? idempotencyKey(request.headers['idempotency-key']) : undefined
  const carryOut = () => (key === undefined ? runPlain(passage) : runKeyed(passage, key))
  // A call to another server must not hold up others, so only its transactions wait: see `callOut`.
  return actionOf(operation)?.callsOut ? carryOut() : inQueue(passage, carryOut)
}

const writeQueues = perInstance(() => new WriteQueues())

/** Queues before the Idempotency-Key and before a connection, so that waiting requests hold neither. */
function inQueue<T>({ instance, operation, request, who }: Passage, run: () => Promise<T>): Promise<T> {
  const { queuesBy } = operation
  if (queuesBy === undefined) return run()
  const { [queuesBy]: object = '' } = request.params as Record<string, string>
  const timings = currentTimings()
  const beganMs = performance.now()
  return writeQueues(instance).run(`${who.storeId} ${object.toLowerCase()}`, () => {
    timings?.wait('queue', performance.now() - beganMs)
    return run()
  })
}

function runPlain(passage: Passage): Promise<Answer> {
  const { instance, operation, who } = passage
  const call = callOf(passage)
  if (!operation.transaction) {
    const { withinMs } = actionOf(operation) ?? {}
    const run = (signal?: AbortSignal) => operation.run(contextOf(passage, { signal }), call)
    return withinMs ? withTimeout(withinMs, hangUpSignal(passage.request.raw.socket), run) : run()
  }
  return instance.homes
    .of(who.storeId)
    .transaction((transaction) => operation.run(contextOf(passage, { transaction }), call))
}

/** The lease of a key without a response, unless the action declares another. */
const keyedMaxMs = 60_000

function runKeyed(passage: Passage, key: string): Promise<Answer> {
  const { instance, operation, request, text, who } = passage
  const { callsOut, ownTransactions, mayRepeat } = actionOf(operation) ?? {}
  const call = callOf(passage)
  const resource = resourceToRepeat(instance, operation, who)
  const writeOf = (ctx: Ctx) => ({
    ...{ key, method: operation.method, url: request.url, body: text },
    isReadable: resource !== undefined,
    mayRepeat: async () => mayRepeat?.(ctx, call),
    lengthen: (answer: Answer) => lengthen(ctx, resource, call, answer),
  })
  if (callsOut || ownTransactions) {
    const ctx = contextOf(passage)
    return onceAcrossCalls(ctx, {
      ...writeOf(ctx),
      leaseMs: callsOut ? leaseMsOf(callsOut) : keyedMaxMs,
      run: (keyed) => operation.run(contextOf(passage, { keyed }), call),
    })
  }
  return instance.homes.of(who.storeId).transaction((transaction) => {
    const ctx = contextOf(passage, { transaction: continued(transaction) })
    return once(ctx, { ...writeOf(ctx), run: () => operation.run(ctx, call) })
  })
}

/** A stream may last for minutes. It ends within a second when its key is deleted. */
function endWithKey({ answer, instance, who }: Passage): void {
  const content = answer?.body
  if (!(content instanceof Readable)) return
  const { signal, leave } = instance.tokens.watch(who)
  const end = () => content.destroy(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  content.once('close', () => {
    signal.removeEventListener('abort', end)
    leave()
  })
}

function reportWrite({ instance, operation, who }: Passage): void {
  // A request for a file without a token has written nothing.
  if (operation.method === 'GET' && actionOf(operation)?.shows?.file) return
  instance.onWrite(who.storeId)
}

interface RunOptions {
  readonly signal?: AbortSignal | undefined
  readonly transaction?: DatabaseTransaction
  readonly keyed?: KeyedRequest
}

function contextOf(passage: Passage, { signal, transaction, keyed }: RunOptions = {}): Ctx {
  const { instance, operation, request, who } = passage
  const { clock } = instance
  // The server completes a write even if its client hangs up.
  const source =
    operation.access === 'read'
      ? instance.readers.of(who.storeId).reading(() => signal ?? hangUpSignal(request.raw.socket))
      : instance.homes.of(who.storeId)
  const by = authorOf(who.actor, request.id)
  const chosenId = instance.keepsIds && actsAsSeller(who) ? chosenIdOf(request) : undefined
  return new Ctx({
    store: new Store(who.storeId, source, () => clock.now(), by, transaction),
    who,
    instance,
    requestId: request.id,
    clientAddress: request.ip,
    baseUrl: instance.baseUrl ?? addressOf(request),
    ...(operation.method === 'GET' && { lines: lineFormatOf(request.headers.accept) }),
    ...(keyed && { keyed }),
    ...(chosenId !== undefined && { chosenId }),
    ...(actionOf(operation)?.callsOut && { queued: (run) => inQueue(passage, run) }),
  })
}

function chosenIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['x-sutler-id']
  if (id === undefined || (typeof id === 'string' && isId(id))) return id?.toLowerCase()
  throw new Problem('bad_request', 'X-Sutler-Id must be a UUID, the id of the new object.', {
    source: 'X-Sutler-Id',
  })
}

function callOf({ request, body, upload }: Passage) {
  const { url, headers, method } = request
  const mark = url.indexOf('?')
  return {
    params: nameable(request.params as Record<string, string>),
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    ifMatch: headers['if-match'],
    headers,
    method,
    body,
    upload,
    hungUp: () => hangUpSignal(request.raw.socket),
  }
}

/** No object has a NUL in its name, and PostgreSQL does not accept one in a value. */
function nameable(params: Record<string, string>): Record<string, string> {
  if (Object.values(params).some((value) => value.includes('\0'))) {
    throw new Problem('not_found', 'The path has a NUL character, and no object has one in its name.')
  }
  return params
}

/** RFC 9110 §13.1.2: only a GET gets a 304. */
function respondNotModified(passage: Passage): void {
  const { answer, operation, request } = passage
  if (answer && operation.method === 'GET')
    passage.answer = notModified(answer, request.headers['if-none-match'])
}

function showTimings(passage: Passage): void {
  const { answer, request, who } = passage
  if (answer) passage.answer = withTimings(answer, request, who)
}
