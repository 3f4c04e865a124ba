import { startActions, startCopy } from '../../ui/client/copy.ts'
import { startNotes } from '../../ui/client/notes.ts'
import { startScheme } from '../../ui/client/scheme.ts'
import { startTabs } from '../../ui/client/tabs.ts'
import { startZoom } from '../../ui/client/zoom.ts'
import { startCalls } from './calls.ts'
import { startFeedback } from './feedback.ts'
import { startMarks } from './marks.ts'
import { startNav } from './nav.ts'
import { startAnnouncement, startPlayers } from './notices.ts'
import { startOutline } from './outline.ts'
import { startSearch } from './search.ts'
import { startSession } from './session.ts'

const starts = [
  startScheme,
  startSearch,
  startSession,
  startNav,
  startTabs,
  startCopy,
  startActions,
  startCalls,
  startOutline,
  startNotes,
  startMarks,
  startFeedback,
  startAnnouncement,
  startPlayers,
  startZoom,
]
// A part that fails, as in an old browser, leaves the others working.
for (const start of starts)
  try {
    start()
  } catch (error) {
    console.error(error)
  }
