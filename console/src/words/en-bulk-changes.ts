import { counted, number } from './en-numbers.ts'

const percent = new Intl.NumberFormat('en', { maximumFractionDigits: 4, signDisplay: 'exceptZero' })
const factor = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })

/** The texts of the screens of bulk changes, in English. */
export const bulkChanges = {
  tab: 'Progress',
  window: {
    title: (nouns: string) => `Change many ${nouns}`,
    which: 'Which of them',
    selected: (n: number) => `The ${number.format(n)} selected`,
    matching: (n: number | undefined) =>
      n === undefined ? 'All that match the filter' : `All ${number.format(n)} that match the filter`,
    whole: (n: number | undefined) =>
      n === undefined ? 'All of this list' : `All ${number.format(n)} of this list`,
    what: 'What changes in each',
    add: 'Add a field',
    choose: 'Choose a field …',
    drop: (field: string) => `Do not change ${field}`,
    first: 'Choose a field to change. What you do not choose stays as it is.',
    run: (n: number) => (n === 0 ? 'Change them' : `Change ${counted(n, 'object', 'objects')}`),
    about: 'Each object changes as by its own update. You can put it back for 30 days.',
    unknown:
      'A bulk change was sent from here, and no answer has come. The same request again does it once: if it was done, the server repeats its answer.',
    again: 'Send the same again',
    forget: 'Forget it',
  },
  plan: {
    way: 'How',
    ways: { set: 'Set to', percent: 'Change by percent', times: 'Multiply by' },
    percent: 'Percent, such as 10 or -5',
    times: 'Factor, such as 1.1',
    currency: 'Currency',
    roundTo: 'Round to a multiple of',
    noCurrency: 'Choose the currency whose amounts change.',
    notNumber: 'Write a number, such as 10 or -5.',
    notStep: 'The result is rounded to a multiple of a whole number from 1.',
    emptied: 'Leave it empty to take the value away.',
    replaces: 'It takes the place of the whole value of each object.',
  },
  sample: {
    title: 'What would happen',
    chosen: (n: number) => `${counted(n, 'object is', 'objects are')} chosen.`,
    tried: (n: number, all: boolean) =>
      all ? 'All were tried, each by itself:' : `The first ${number.format(n)} were tried, each by itself:`,
    changed: (n: number) => `${number.format(n)} would change`,
    same: (n: number) => `${number.format(n)} have these values already`,
    refused: (n: number) => `${number.format(n)} would be refused`,
    changedSince: (n: number) =>
      `${number.format(n)} would be refused, because somebody has changed ${n === 1 ? 'it' : 'them'} since`,
    object: 'Object',
    first: (n: number) => `Here ${n === 1 ? 'is the first one' : `are the first ${number.format(n)}`}.`,
    why: 'Refused, and why',
    none: 'The list has no such object: there is nothing to change.',
  },
  page: {
    states: {
      pending: 'It waits for its turn. The long jobs of a store run one after the other.',
      started: 'It is at work. You can leave this page.',
      success: 'It has ended.',
      failed: 'It has failed: the work ended before its end. What it has changed stays, and can be put back.',
      cancelled: 'It was cancelled. What it has changed stays, and can be put back.',
    } satisfies Readonly<Record<string, string>> as Readonly<Record<string, string>>,
    counts: { chosen: 'Chosen', changed: 'Changed', unchanged: 'Had it already', refused: 'Refused' },
    what: 'What it changes',
    list: 'List',
    filter: 'Filter',
    undoOf: 'It puts back',
    undoOfOther: 'another bulk change',
    change: 'Change',
    setTo: (field: string) => `${field}: set to`,
    by: (field: string, times: number) =>
      `${field}: multiplied by ${factor.format(times)} (${percent.format((times - 1) * 100)} %)`,
    rounded: 'rounded to a multiple of',
    refusals: (n: number) => `${counted(n, 'object was', 'objects were')} refused`,
    refusalsAbout: 'They are as they were. Mend the reason, select them, and change them again.',
    csv: 'Export the refusals',
    allRefusals: 'Show all refusals',
    cancel: 'Cancel it',
    undo: 'Put it back',
    whyNoUndo: {
      open: 'It can be put back when it has ended. Cancel it, or wait.',
      nothing: 'It has changed nothing, so there is nothing to put back.',
    },
  },
  undo: {
    title: 'Put back a bulk change?',
    about:
      'Each object gets its values from before. What somebody has changed since stays, and is refused. This is a bulk change too, so it can be put back.',
    run: (n: number) => (n === 0 ? 'Put them back' : `Put back ${counted(n, 'object', 'objects')}`),
  },
}
