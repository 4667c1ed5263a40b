export { personalData } from './chapters.ts'
export { ExportReads } from './export-reads.ts'
export { ReadRecorder } from './read-recorder.ts'
export { Register } from './register.ts'
