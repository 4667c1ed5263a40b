import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../server/kernel/ids.ts'
import { AttemptRecorder, type DeliveryAttempt } from '../../../server/telling/deliveries/record-attempts.ts'
import type { SendOutcome } from '../../../server/telling/targets/message.ts'
import { insertJob } from '../../builders/telling/deliveries.ts'
import { openHook } from '../../builders/telling/hooks.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const outcome: SendOutcome = {
  ...{ succeeded: true, statusCode: 200, body: 'ok', errorDetail: '', processingTimeS: 0.1 },
  ...{ isSlow: false, isFinal: false },
}

function attemptOf(integrationId: string, id: string): DeliveryAttempt {
  const job = {
    ...{ storeId: world.storeId, integrationId, id, eventId: newId(), key: 'order.paid', source: 'orders' },
    ...{ subjectId: newId(), position: 1, attempt: 0, lease: new Date().toISOString() },
  }
  return { job, outcome, state: 'succeeded', reason: undefined, dueAt: undefined }
}

test('an attempt that cannot be recorded keeps no other one from being recorded', async () => {
  const hook = await openHook(world.admin, ['order.paid'])
  const jobs = [await insertJob(world.work, hook.id), await insertJob(world.work, hook.id)]
  const released: string[] = []
  const recorder = new AttemptRecorder(world.work.instance, (some) =>
    released.push(...some.map(({ job }) => job.id)),
  )
  const ids = [jobs[0]?.id as string, 'not a UUID', jobs[1]?.id as string]
  for (const id of ids) recorder.add(attemptOf(hook.id, id))
  await recorder.idle()
  for (const { id } of jobs)
    expect((await world.admin.get(`${hook.path}/jobs/${id}/logs`)).body.data.length).toBe(1)
  expect(released).toEqual(ids)
  await hook.remove()
})
