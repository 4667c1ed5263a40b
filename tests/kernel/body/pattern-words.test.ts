import { expect, test } from 'vitest'
import { patternWords } from '../../../server/kernel/body/pattern-words.ts'

test.each([
  ['^[A-Za-z0-9._{}-]+$', 'contain only A to Z, a to z, 0 to 9, ".", "_", "{", "}" and "-"'],
  ['^[A-Z]{3}$', 'be 3 characters of A to Z'],
  ['^[^\\s,]+$', 'not contain white space or ","'],
  ['^[^\\p{Cc}]*$', 'not contain control characters'],
  ['^[!-~]+$', 'contain only ! to ~'],
  ['^[\\d.]+$', 'match ^[\\d.]+$'],
  ['^[\\p{L}]+$', 'match ^[\\p{L}]+$'],
  ['^[^$]', 'match ^[^$]'],
  ['^https?:\\/\\/', 'match ^https?:\\/\\/'],
  ['^[a-z]+[0-9]$', 'match ^[a-z]+[0-9]$'],
])('the pattern %s reads: must %s', (pattern, words) => {
  expect(patternWords(pattern)).toBe(words)
})
