export { currencyChapter, exportChapter, fileChapter, imports, pimJobChapter, settings } from './chapters.ts'
export { currencies } from './currencies/currencies.ts'
export { formatAmount, type Money, money, moneyFields, type Notation } from './currencies/money.ts'
export { linkMs, signLink, storeExport } from './exports/exports.ts'
export { fileLink, files } from './files/files.ts'
export { fileBytesMax } from './files/receive-file.ts'
export { CsvFault, CsvScanner } from './imports/csv-scanner.ts'
export { type Delimiter, nameDelimiter } from './imports/delimiters.ts'
export { findIdsByRef, type IdOfRef } from './imports/external-refs.ts'
export { bytesMax, columnsMax, rowCharactersMax, rowsMax } from './imports/file-limits.ts'
export { EncodingFault, readText } from './imports/read-text.ts'
export { type NumberedRow, RowFaults } from './imports/row-faults.ts'
export {
  forgetStagedRows,
  formBytesMax,
  importJob,
  importUpload,
  RowBatch,
} from './imports/staged-imports.ts'
export { invalidFile, readLines, type TextLine, unpack } from './imports/text-lines.ts'
export { type DocumentedJob, documentedJob, startDocumented } from './jobs/documented-job.ts'
export type { JobDocument } from './jobs/job-document.ts'
export { type PimJob, pimJob, startPimJob } from './jobs/pim-job.ts'
export { pimJobs } from './jobs/pim-jobs.ts'
export { cartSettings } from './settings/cart-settings.ts'
export { ownerMeta } from './settings/owner-meta.ts'
export { settings as storeSettings } from './settings/settings.ts'
export { storeName } from './settings/store-name.ts'
