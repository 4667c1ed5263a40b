import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventSources } from '../../../server/telling/events/families.ts'
import { allEventKeys, entryVerbs } from '../../../server/telling/integrations/event-keys.ts'

const rows = readFileSync('docs/events.md', 'utf8').matchAll(/^\| (`[^|]+`) \| /gm)

test('docs/events.md has each event once of the code', () => {
  const documented = [...rows].flatMap(([, keys = '']) =>
    [...keys.matchAll(/`([^`]+)`/g)].map(([, key]) => key),
  )
  const entries = entryVerbs.map((verb) => `<api_type>.${verb}`)
  expect(documented.toSorted()).toEqual([...allEventKeys, ...entries].toSorted())
})

test('each family has a source, or a function of its own', () => {
  const own = ['one-time-password-token-request', 'settings']
  const families = new Set([...own, ...eventSources.map(({ family }) => family)])
  expect([...families].toSorted()).toEqual(
    [...new Set(allEventKeys.map((key) => key.split('.')[0]))].toSorted(),
  )
})
