import { COMPRESSION_FAULTS } from './compression-faults.ts';
import { CONTROL_FAULTS } from './control-faults.ts';
import { FIGURE_FAULTS } from './figures-faults.ts';
import { JOURNAL_FAULTS } from './journal-faults.ts';
import { LEDGER_FAULTS } from './ledger-faults.ts';
import { MESSAGE_FAULTS } from './messages-faults.ts';
import type { PlantedFault } from './planted-fault.ts';
import { SUMMARY_FAULTS } from './summary-faults.ts';

/** Every fault that is planted, by what it breaks. */
export const FAULTS: readonly PlantedFault[] = [
  ...MESSAGE_FAULTS,
  ...LEDGER_FAULTS,
  ...COMPRESSION_FAULTS,
  ...CONTROL_FAULTS,
  ...SUMMARY_FAULTS,
  ...JOURNAL_FAULTS,
  ...FIGURE_FAULTS,
];
