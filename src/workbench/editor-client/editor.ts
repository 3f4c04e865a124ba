import { startEditor } from './start.ts'

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-editor]'))
  startEditor(form)
