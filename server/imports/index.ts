import { module } from '../kernel/declare/module.ts'

export { CsvFault, CsvScanner } from './csv-scanner.ts'
export { type Delimiter, delimiterNoun, type HeaderNames } from './delimiters.ts'
export { findByRef, type IdOfRef } from './external-refs.ts'
export { bytesMax, columnsMax, rowCharactersMax, rowsMax } from './file-limits.ts'
export { importJob } from './import-job.ts'
export { formBytesMax, importUpload } from './import-upload.ts'
export { invalidFile } from './invalid-file.ts'
export { EncodingFault, readText } from './read-text.ts'
export { type NumberedRow, RowFaults } from './row-faults.ts'
export { forgetStaged, RowBatch } from './staging.ts'
export { linesOf, type TextLine, unpack } from './text-lines.ts'

export const imports = module({
  name: 'imports',
  about: 'Files of rows that become objects.',
})
