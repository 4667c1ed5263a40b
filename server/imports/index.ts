import { module } from '../kernel/module.ts'

export { CsvFault, CsvScanner } from './csv-scanner.ts'
export { type Delimiter, nameDelimiter } from './delimiters.ts'
export { findIdsByRef, type IdOfRef } from './external-refs.ts'
export { bytesMax, columnsMax, rowCharactersMax, rowsMax } from './file-limits.ts'
export { importJob } from './import-job.ts'
export { formBytesMax, importUpload } from './import-upload.ts'
export { invalidFile } from './invalid-file.ts'
export { EncodingFault, readText } from './read-text.ts'
export { type NumberedRow, RowFaults } from './row-faults.ts'
export { forgetStagedRows, RowBatch } from './staging.ts'
export { readLines, type TextLine, unpack } from './text-lines.ts'

export const imports = module({
  name: 'imports',
  about: 'Imports files whose rows become objects.',
})
