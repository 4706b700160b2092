import fc from 'fast-check';

/** The same random inputs for the same code, so that a commit passes or fails each time. `FUZZ_SEED` chooses others. */
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_129) });
