import { execFileSync } from 'node:child_process'

const run = (program: string, args: string[], input?: Buffer): string =>
  execFileSync(program, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })

/** Whether poppler-utils is installed. */
export function hasPoppler(): boolean {
  try {
    run('pdftotext', ['-v'])
    return true
  } catch {
    return false
  }
}

/** The text of a PDF, page by page. */
export const textOfPdf = (pdf: Buffer): string[] =>
  run('pdftotext', ['-', '-'], pdf).split('\f').slice(0, -1)

/** The URLs of its links. */
export const urlsOfPdf = (pdf: Buffer): string[] =>
  [...run('pdfinfo', ['-url', '-'], pdf).matchAll(/Annotation\s+(\S.*)$/gm)].map(([, url = '']) =>
    url.trim(),
  )

/** Its properties, such as `Pages: 3`. */
export const factsOfPdf = (pdf: Buffer): string => run('pdfinfo', ['-'], pdf)
