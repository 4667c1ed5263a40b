import { expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { mustBeKnownJobs } from '../../../tools/moving/known-jobs.ts'
import { jobsLeftBehind } from '../../../tools/moving/left-behind.ts'
import { BrokenArchive } from '../../../tools/moving/tar.ts'

const jobs = app.flatMap((module) => module.jobs)
const nameOf = (isLong: boolean) =>
  jobs.find(({ name, long = false }) => long === isLong && !Object.hasOwn(jobsLeftBehind, name))?.name
const storeId = '0b0f2b0e-6f0a-4a0c-8f0c-5d1f2c3b4a59'
const short = { name: nameOf(false), payload: { store: storeId, by: 'system', payload: {} }, key: null }
const check = (table: string, ...rows: unknown[]) =>
  mustBeKnownJobs(
    table,
    Buffer.from(rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('')),
    jobs,
    storeId,
  )

test('the jobs of this server are accepted', () => {
  expect(() => check('waiting_jobs', short, { ...short, key: `${storeId} mail` })).not.toThrow()
  expect(() => check('long_jobs', { name: nameOf(true) })).not.toThrow()
  expect(() => check('accounts', { name: 'unknown' })).not.toThrow()
})

test.each([
  ['an unknown job', 'waiting_jobs', { ...short, name: 'kernel:no-such-job' }],
  ['a chore of the server', 'waiting_jobs', { ...short, name: 'carts:forget-expired' }],
  ['a job that an export leaves behind', 'waiting_jobs', { ...short, name: 'kernel:resume-errand' }],
  ['a long job among the short ones', 'waiting_jobs', { ...short, name: nameOf(true) }],
  ['a job of another store', 'waiting_jobs', { ...short, payload: { ...short.payload, store: 'other' } }],
  ['a job without a payload', 'waiting_jobs', { ...short, payload: null }],
  ['a key that is not of the store', 'waiting_jobs', { ...short, key: 'carts:forget-expired' }],
  ['what is not JSON', 'waiting_jobs', '{"name": '],
  ['an unknown long job', 'long_jobs', { name: 'no-such-job' }],
  ['a short job among the long ones', 'long_jobs', { name: nameOf(false) }],
])('%s makes an archive a damaged one', (_what, table, row) => {
  expect(() => check(table, row)).toThrow(BrokenArchive)
})
