import { suite } from "./suites";

suite("parts");
