import { counted, number } from './en-numbers.ts'

/** The texts of the window that reads a whole list, in English. */
export const walk = {
  about: (n: number | undefined) =>
    n === undefined
      ? 'Each of these ways reads everything that the list shows, with its filter.'
      : `Each of these ways reads everything that the list shows, with its filter: now ${counted(n, 'object', 'objects')}.`,
  offset: (requests: number, skipped: number, reach: number | undefined) =>
    `Not safe: page[offset]. Its ${counted(requests, 'request', 'requests')} would skip up to ${number.format(skipped)} objects each time, and whatever is deleted or moves meanwhile makes it miss others.${
      reach === undefined ? '' : ` Here it also ends at ${number.format(reach)}.`
    }`,
  way: 'Way',
  ways: {
    export: 'Export: all of one moment',
    ids: 'By id: gt(id,…)',
    cursor: 'By cursor: page[after] and links.next',
  },
  why: {
    export:
      'One response has all objects as lines. They are of one moment, whatever is written meanwhile, and the headers say how many there will be.',
    ids: 'Each page begins after the last id of the page before. Ids never change, so nothing moves; it can go on after any interruption. Its end is an empty page.',
    cursor:
      'Each response links to the next page, which begins after its last object. The cursor holds the order, so a delete does not shift it.',
    cursorOwn:
      'Each response links to the next page, which begins after its last object. This list cannot be sorted by id: an object whose place changes meanwhile may come twice, or not at all.',
  },
  requests: (n: number) => `This list: ${counted(n, 'request', 'requests')}.`,
  language: 'As a program',
  languages: { shell: 'Shell (curl, jq)', typescript: 'TypeScript', python: 'Python' },
  program: 'The program',
  run: 'Read it here',
  again: 'Read it again',
  stop: 'Stop',
  result: 'What was read',
  read: 'Objects',
  sent: 'Requests',
  watermark: 'Watermark',
  position: 'Position of the feed',
  complete: 'Complete',
  of: (n: number, total: number | undefined) =>
    total === undefined || total === n
      ? number.format(n)
      : `${number.format(n)}; the list had ${number.format(total)} at the start`,
  goOn: 'It goes on with',
  yes: 'Yes',
  no: 'No',
  verdict: {
    oneMoment: 'There are as many as the server announced, all of one moment.',
    byId: 'It came to the end in the order of ids. Whatever was there from the start to the end is in it; what was added meanwhile, too, if its id is later.',
    ownOrder:
      'It came to the end, but not in the order of ids. An object whose place changed meanwhile may be missing.',
    short: 'There are fewer than the server announced.',
    stopped: 'It was stopped.',
    failed: 'A request failed.',
  },
  aboutWatermark:
    'What this does not show yet will have an updated_at of then or later. Read that the next time:',
  noWatermark:
    'None: this list cannot be filtered by updated_at, or some of its objects are hidden by conditions.',
  aboutPosition: 'All changes up to there are in it. Go on with those after it:',
}
