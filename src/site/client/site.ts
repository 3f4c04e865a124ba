import { startCalls } from './calls.ts'
import { startActions, startCopy } from './copy.ts'
import { startFeedback } from './feedback.ts'
import { startMarks } from './marks.ts'
import { startNav } from './nav.ts'
import { startNotes } from './notes.ts'
import { startAnnouncement, startPlayers } from './notices.ts'
import { startOutline } from './outline.ts'
import { startScheme } from './scheme.ts'
import { startSearch } from './search.ts'
import { startTabs } from './tabs.ts'
import { startZoom } from './zoom.ts'

const starts = [
  startScheme,
  startSearch,
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
