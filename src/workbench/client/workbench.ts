import { startActions, startCopy } from '../../ui/client/copy.ts'
import { startNotes } from '../../ui/client/notes.ts'
import { startScheme } from '../../ui/client/scheme.ts'
import { startTabs } from '../../ui/client/tabs.ts'
import { startZoom } from '../../ui/client/zoom.ts'
import { startForms } from './forms.ts'
import { startPairs } from './image-pairs.ts'
import { startKeys } from './keys.ts'
import { startLive } from './live.ts'
import { startResults } from './results.ts'

const starts = [
  startScheme,
  startForms,
  startKeys,
  startLive,
  startTabs,
  startCopy,
  startActions,
  startNotes,
  startZoom,
  startPairs,
  startResults,
]
// A part that fails, as in an old browser, leaves the others working.
for (const start of starts)
  try {
    start()
  } catch (error) {
    console.error(error)
  }
