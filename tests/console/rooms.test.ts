import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** The rooms of console/src, from the lowest: each uses only those before it, and itself. */
const rooms = ['api', 'words', 'parts', 'fields', 'lists', 'forms', 'records', 'screens', 'shell']

const root = join(import.meta.dirname, '../../console')

const sources = ['src', 'build']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((file) => /\.(tsx?|css)$/.test(file) && !file.startsWith('src/generated'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))

const roomOf = (file: string) => rooms.indexOf(file.split('/')[1] ?? '')

test('each room of the console uses only the rooms before it', () => {
  const inRooms = sources.filter(({ file }) => file.startsWith('src/'))
  expect(inRooms.filter(({ file }) => roomOf(file) < 0).map(({ file }) => file)).toEqual([])
  const wrong = inRooms.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:from|import)\(? ?'(\.[^']+)'/g)]
      .map(([, name = '']) => normalize(join(file, '..', name)))
      .filter((used) => !used.startsWith('src/generated') && roomOf(used) > roomOf(file))
      .map((used) => `${file} uses ${used}`),
  )
  expect(wrong).toEqual([])
})

test('no area of the screens uses another one', () => {
  const areaOf = (file: string) => /^src\/screens\/([^/]+)\//.exec(file)?.[1]
  const wrong = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:from|import)\(? ?'(\.[^']+)'/g)]
      .map(([, name = '']) => normalize(join(file, '..', name)))
      .filter((used) => areaOf(file) && areaOf(used) && areaOf(used) !== areaOf(file))
      .map((used) => `${file} uses ${used}`),
  )
  expect(wrong).toEqual([])
})

test('the console uses nothing of the server', () => {
  const wrong = sources.filter(({ text }) => /from '[^']*\/(server|command|tools)\//.test(text))
  expect(wrong.map(({ file }) => file)).toEqual([])
})

test('no file of the console is longer than 400 lines, and none sets styles that its policy forbids', () => {
  for (const { file, text } of sources) {
    expect([file, text.split('\n').length <= 400]).toEqual([file, true])
    expect([file, /dangerouslySetInnerHTML|innerHTML|\beval\(/.test(text)]).toEqual([file, false])
  }
})
