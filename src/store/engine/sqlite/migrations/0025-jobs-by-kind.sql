-- The worker asks for the first job of some kinds, also where thousands of others wait.
CREATE INDEX job_by_kind ON job (state, kind, run_at);
