import { randomUUID } from 'node:crypto'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openNetwork } from '../../../server/telling/index.ts'
import type { SqsTarget } from '../../../server/telling/targets/message.ts'
import type { Network } from '../../../server/telling/targets/network.ts'
import { send } from '../../../server/telling/targets/send.ts'
import { messageOf, shows } from '../../builders/telling/messages.ts'
import { openReceiver } from '../../support/receiver.ts'

let network: Network
/** An emulator of SQS, with its own checks of requests and signatures' form. */
let sqs: FauxqsServer
beforeAll(async () => {
  network = openNetwork(() => true)
  sqs = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' })
})
afterAll(async () => {
  network.close()
  await sqs.stop()
})

function queue(name = `queue-${randomUUID()}`, attributes: Record<string, string> = {}) {
  sqs.createQueue(name, { attributes })
  return {
    target: targetAt(`http://127.0.0.1:${sqs.port}/000000000000/${name}`),
    messages: () => sqs.inspectQueue(name)?.messages.ready ?? [],
  }
}

const targetAt = (url: string): SqsTarget => ({
  ...{ type: 'aws_sqs', url, region: 'us-east-1' },
  ...{ aws_access_key_id: 'AKIDEXAMPLE', aws_secret_access_key: 'secret' },
})

test('a queue gets a CloudEvent', async () => {
  const { target, messages } = queue()
  const message = messageOf()
  const outcome = await send(network, target, message)
  expect(outcome).toMatchObject({ succeeded: true, statusCode: 200, errorDetail: '' })
  expect(JSON.parse(messages()[0]?.body ?? '')).toEqual({
    ...{ id: message.eventId, type: 'order.paid', source: message.source },
    ...{ specversion: '1.0', datacontenttype: 'application/json' },
    ...{
      integrationid: message.integration.id,
      storeid: message.storeId,
      data: JSON.parse(message.content.payload),
    },
  })
})

test('a FIFO queue keeps the order of an object, and an event once', async () => {
  const { target, messages } = queue(`queue-${randomUUID()}.fifo`, { FifoQueue: 'true' })
  const [first, second] = [messageOf(), messageOf({ subject: 'x'.repeat(300) })]
  for (const message of [first, first, second])
    expect((await send(network, target, message)).succeeded).toBe(true)
  const got = messages().map(({ messageGroupId, messageDeduplicationId }) => [
    messageGroupId,
    messageDeduplicationId,
  ])
  expect(got).toEqual([
    [first.subject, first.eventId],
    [expect.stringMatching(/^[0-9a-f]{64}$/), second.eventId],
  ])
})

test('a message that is too long goes without its included objects, and fails for good where that is too long too', async () => {
  const { target, messages } = queue()
  const included = { items: ['x'.repeat(256 * 1024)] }
  const data = { type: 'order', id: 'o1' }
  expect((await send(network, target, messageOf(shows({ data, included }, { data })))).succeeded).toBe(true)
  expect(JSON.parse(messages()[0]?.body ?? '').data).toEqual({ data })
  const outcome = await send(network, target, messageOf(shows({ name: 'x'.repeat(256 * 1024) })))
  expect(outcome).toMatchObject({ succeeded: false, isFinal: true })
  expect(outcome.errorDetail).toMatch(/longer than 256 KiB/)
  expect(messages().length).toBe(1)
})

test('characters that a queue refuses are escaped', async () => {
  const { target, messages } = queue()
  const payload = { name: '\uFFFE \uFFFF ü \u0001' }
  expect((await send(network, target, messageOf(shows(payload)))).errorDetail).toBe('')
  expect(messages()[0]?.body).not.toMatch(/[\uFFFE\uFFFF]/)
  expect(JSON.parse(messages()[0]?.body ?? '').data).toEqual(payload)
})

test('a queue that does not exist fails with what the service says', async () => {
  const outcome = await send(network, targetAt(`http://127.0.0.1:${sqs.port}/000000000000/none`), messageOf())
  expect(outcome).toMatchObject({ succeeded: false, statusCode: 400, isFinal: false })
  expect(outcome.errorDetail).toMatch(/QueueDoesNotExist/)
  expect(outcome.body).toMatch(/QueueDoesNotExist|NonExistentQueue/)
})

test('the database can store a detail that is cut inside of a character', async () => {
  const queue = await openReceiver()
  const answer = JSON.stringify({ __type: 'sqs#Bad', message: `${'x'.repeat(994)}${'😀'.repeat(9)}` })
  queue.answer = (_received, response) => void response.writeHead(400).end(answer)
  const { errorDetail } = await send(network, targetAt(`${queue.url}/1/queue`), messageOf())
  expect([errorDetail.length, errorDetail.at(-1)]).toEqual([1_000, '\uFFFD'])
  await queue.close()
})

test('what is not a queue fails: it is silent, it answers something else, it answers without end', async () => {
  const other = await openReceiver()
  const target = targetAt(`${other.url}/1/queue`)
  other.answer = () => {}
  expect(await send(network, target, messageOf(), { timeoutMs: 300 })).toMatchObject({
    succeeded: false,
    isSlow: true,
  })
  other.answer = (_received, response) => void response.end('<html>welcome</html>')
  expect(await send(network, target, messageOf())).toMatchObject({ succeeded: false, statusCode: 200 })
  other.answer = (_received, response) => void response.writeHead(307, { location: `${other.url}/2` }).end()
  expect(await send(network, target, messageOf())).toMatchObject({ succeeded: false, statusCode: 307 })
  let hasEnded = false
  other.answer = (_received, response) => {
    response.on('close', () => {
      hasEnded = true
    })
    const more = () => void (hasEnded || response.write('x'.repeat(16_384), () => setImmediate(more)))
    more()
  }
  const outcome = await send(network, target, messageOf())
  expect([outcome.succeeded, outcome.body.length]).toEqual([false, 4096])
  expect(other.requests.every(({ headers }) => /^AWS4-HMAC-SHA256 /.test(headers.authorization ?? ''))).toBe(
    true,
  )
  await other.close()
})
