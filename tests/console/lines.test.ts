import { expect, test } from 'vitest'
import { changesBetween } from '../../console/src/api/changes-between.ts'
import { cellsOf, idOnLine, LineCounter } from '../../console/src/lists/lines.ts'
import { moved } from '../../console/src/lists/moved.ts'

const csv = 'id,name\r\n1,"two\r\nlines, ""quoted"""\r\n2,plain\r\n3,bro'

test('whole lines of CSV are counted whatever their values hold and wherever the chunks end', () => {
  const bytes = new TextEncoder().encode(csv)
  for (let size = 1; size <= bytes.length; size++) {
    const counter = new LineCounter('csv')
    for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size))
    const { lines, firstEnd, lastStart, lastEnd } = counter
    expect([size, lines, csv.slice(0, firstEnd)]).toEqual([size, 2, 'id,name\r\n'])
    expect(csv.slice(lastStart, lastEnd)).toBe('2,plain\r\n')
  }
})

test('the id of a line is found in both formats', () => {
  expect(cellsOf('a,"b,""c""",,d\r\n')).toEqual(['a', 'b,"c"', '', 'd'])
  expect(idOnLine('csv', 'name,id\r\n', '"x, y",7\r\n')).toBe('7')
  expect(idOnLine('ndjson', '', '{"name":"x","id":"7"}\n')).toBe('7')
})

test('a change is shown by the values that differ, whatever they are inside of', () => {
  const before = { name: 'a', tags: ['x'], size: { width: 1, height: 2 }, note: null }
  const after = { name: 'b', tags: ['x', 'y'], size: { width: 1, height: 3 } }
  expect(changesBetween(before, after)).toEqual([
    { path: 'name', before: 'a', after: 'b' },
    { path: 'tags', before: ['x'], after: ['x', 'y'] },
    { path: 'size.height', before: 2, after: 3 },
  ])
  expect(changesBetween(null, { size: { width: 1 } })).toEqual([
    { path: 'size.width', before: undefined, after: 1 },
  ])
  expect(changesBetween({ size: { width: 1 } }, { size: 'large' })).toEqual([
    { path: 'size', before: { width: 1 }, after: 'large' },
  ])
})

test('a column moves one place, and no further than the ends', () => {
  expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b'])
  expect(moved(['a', 'b', 'c'], 'a', 1)).toEqual(['b', 'a', 'c'])
  expect(moved(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c'])
})
