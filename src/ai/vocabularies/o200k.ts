import ranks from 'js-tiktoken/ranks/o200k_base';

// A module for both ways of loading, import() and require(): a bundle would hold the package twice.
export default ranks;
